import { z } from "zod";
import type { Problem } from "../problems.ts";
import { eachOnce } from "../values/each-once.ts";
import { keyName } from "../values/name.ts";
import type { Pki } from "./pki.ts";

/** The key that an authority has as long as nothing is said. */
export const initialKey = "initial";

const keys = (whose: string) =>
  z.array(keyName("2026-12")).min(1).superRefine(eachOnce("key")).optional().describe(`${whose} Default: \`initial\`.`);

/** Of those that are made here, except those of simulated clusters. */
export const authorityKeys = z
  .strictObject({
    etcd: keys("Of the authority of etcd's clients and of what they talk to, in all its clusters."),
    "etcd-peer": keys("Of that between members of etcd."),
    karmada: keys("Of that of the Karmada API and its clients."),
    "front-proxy": keys("Of that of the API server where it passes requests on to aggregated API servers."),
    addons: keys("Of that of addons' certificates."),
  })
  .prefault({})
  .describe(
    "The keys of authorities that are made here, by names of yours: the first signs, what any of them has signed is accepted. `initial` is the one that is there when nothing is said. One that is not named any more is deleted.",
  );

/** The keys of each authority for which something is said, by name. */
export type AuthorityKeys = Readonly<Partial<Record<string, readonly string[] | undefined>>>;

/** Finds keys of authorities that are not made here. @param etcd its kind, if that is known */
export function checkAuthorityKeys({ authorities, authorityKeys }: Pki, etcd: string | undefined): Problem[] {
  return Object.keys(authorityKeys).flatMap((name) => {
    const path = ["pki", "authorityKeys", name];
    if (name in authorities)
      return [
        {
          path,
          message: `got keys for an authority that is given, want this left out: pki.authorities.${name}.alsoTrusted has further certificates`,
        },
      ];
    if (name.startsWith("etcd") && etcd === "external")
      return [{ path, message: "got keys, but nothing is made for an external etcd: want this left out" }];
    return [];
  });
}

/**
 * Warns of keys that sign before they are trusted, and of those that are dropped while they sign.
 *
 * @param before as of the last completed `up`
 */
export function keyWarnings(now: AuthorityKeys, before: AuthorityKeys): string[] {
  return [...new Set([...Object.keys(now), ...Object.keys(before)])].flatMap((name) => {
    const [next, former] = [now, before].map((all) => all[name] ?? [initialKey]) as [
      readonly string[],
      readonly string[],
    ];
    const [signer = initialKey] = next;
    const [signed = initialKey] = former;
    if (former.includes(signer) && next.includes(signed)) return [];
    const steps = [[signed, signer], [signer, signed], [signer]].map(listed).join(", ");
    return [
      `pki.authorityKeys.${name}: got ${listed(next)} after ${listed(former)}: ${consequence(name, signed, next)}\n` +
        `without an outage it takes an up each: ${steps}`,
    ];
  });
}

const listed = (names: readonly string[]): string => `[${names.join(", ")}]`;

const consequence = (name: string, signed: string, next: readonly string[]): string =>
  next.includes(signed)
    ? `"${next[0]}" signs before everything trusts it, and programs refuse each other until this up has reached them all`
    : `from this up on everything that ${name}'s key "${signed}" has signed is refused: programs refuse each other until it has reached them all, and kubeconfigs and agents elsewhere for good`;

/** Whether more is trusted for an authority than the certificate with which it signs. */
export const trustsSeveral = (
  { authorities, authorityKeys }: { readonly authorities: GivenTrust; readonly authorityKeys: AuthorityKeys },
  name: string,
): boolean => (authorityKeys[name]?.length ?? 1) > 1 || authorities[name]?.alsoTrusted !== undefined;

type GivenTrust = Readonly<Record<string, { readonly alsoTrusted?: string | undefined } | undefined>>;
