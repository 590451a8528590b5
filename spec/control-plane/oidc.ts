import type { Problem } from "../problems.ts";
import { isGiven } from "./exclusive-flags.ts";

/** Finds flags for OIDC without the two that kube-apiserver wants beside any of them, where it takes such flags at all. */
export function checkOidc(
  { extraArgs }: { readonly extraArgs: Readonly<Record<string, unknown>> },
  path: Problem["path"],
): Problem[] {
  const [given] = Object.keys(extraArgs).filter((flag) => flag.startsWith("oidc-"));
  const missing = together.filter((flag) => !isGiven(extraArgs, flag));
  if (given === undefined || missing.length === 0 || isGiven(extraArgs, "authentication-config")) return [];
  const message = `got no ${missing.join(" and no ")}, want ${together.join(" and ")} where there is any flag for OIDC: kube-apiserver does not start otherwise`;
  return [{ path: [...path, "extraArgs", given], message }];
}

const together = ["oidc-issuer-url", "oidc-client-id"];
