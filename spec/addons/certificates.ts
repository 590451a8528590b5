import { z } from "zod";
import type { Problem } from "../problems.ts";
import { certified, domain } from "../values/address.ts";
import type { TypedAddon } from "./addons.ts";
import type { FoundObject } from "./manifests.ts";

/** Certificates of an addon, each in a Secret. */
export const addonCertificates = z
  .array(
    z.strictObject({
      secret: domain("tunnel").describe(
        "Name of the Secret in the addon's `namespace`: `tls.crt`, `tls.key`, and in `ca.crt` whom to trust.",
      ),
      names: z
        .array(certified)
        .default([])
        .describe("Host names and IP addresses it is valid for as a server's. Default: none, it is a client's only."),
    }),
  )
  .default([])
  .describe(
    "Certificates for what it runs, one for each cluster it is put into, by an authority of their own that all addons of this deployment share: with one another, and not with Karmada. They are renewed as all others; Deployments, StatefulSets and DaemonSets of the addon that use such a Secret are then rolled.",
  );

/** The Secrets of an addon's certificates. */
export const secretsIn = ({ certificates, namespace = "default" }: TypedAddon): FoundObject[] =>
  certificates.map(({ secret }, i) => ({
    object: { apiVersion: "v1", kind: "Secret", metadata: { name: secret, namespace } },
    place: `certificates[${i}]`,
  }));

/**
 * Keys stay in the clusters of the pods that use them; a Secret has only one source. @param found what the addon is
 * made of
 */
export function checkAddonCertificates(
  { certificates, name, namespace = "default", target }: TypedAddon,
  found: readonly FoundObject[],
  i: number,
): Problem[] {
  const path = ["addons", i, "certificates"];
  if (certificates.length > 0 && target.kind !== "host" && target.kind !== "members")
    return [
      {
        path,
        message: `${name}: got target.kind "${target.kind}", want "host" or "members": private keys are put only where the pods are that use them`,
      },
    ];
  const names = certificates.map(({ secret }) => secret);
  return names.flatMap((secret, j) => {
    const at = (message: string) => [{ path: [...path, j, "secret"], message: `${name}: ${message}` }];
    const before = names.indexOf(secret);
    if (before !== j) return at(`got "${secret}", want another name: certificates[${before}] has it`);
    const own = found.find(
      ({ object: { kind, metadata } }) =>
        kind === "Secret" && metadata.name === secret && metadata.namespace === namespace,
    );
    return own ? at(`got "${secret}", want another name: its source has a Secret ${secret}, in ${own.place}`) : [];
  });
}
