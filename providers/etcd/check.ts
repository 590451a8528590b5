import { authorityIn, certificateProblem } from "../../spec/pki/pem.ts";
import type { Problem } from "../implementation.ts";

/** Problems of a connection to etcd that can be found before it is used. */
export function checkEtcd({
  endpoints,
  ca,
  certificate,
}: {
  endpoints?: string[];
  ca?: string;
  certificate?: string;
}): Problem[] {
  const bad = (endpoints ?? []).filter((each) => !URL.canParse(each) || new URL(each).protocol !== "https:");
  return [
    ...(endpoints?.length === 0 ? [{ property: "endpoints", reason: "got none, want at least one https URL" }] : []),
    ...bad.map((each) => ({ property: "endpoints", reason: `got "${each}", want https://host:port` })),
    ...certificateProblems("ca", ca, authorityIn),
    ...certificateProblems("certificate", certificate),
  ];
}

/** Problems of a certificate by itself. @param read finds the one that has to be valid */
export function certificateProblems(property: string, pem: string | undefined, read?: typeof authorityIn): Problem[] {
  const reason = pem === undefined ? undefined : certificateProblem(pem, read);
  return reason === undefined ? [] : [{ property, reason }];
}
