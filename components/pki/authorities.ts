import * as pulumi from "@pulumi/pulumi";
import { initialKey } from "../../spec/pki/authority-keys.ts";
import { type Given, givenAuthority } from "./given.ts";
import { type Authority, createAuthority } from "./issue.ts";
import type { Lifetimes } from "./lifetimes.ts";

/** An authority: who signs for it, and what is trusted. */
export interface TrustedAuthority {
  /** Undefined for one that only others sign for. */
  readonly signer?: Authority;
  /** Every certificate that is trusted for it, PEM, the signer's first. */
  readonly trust: pulumi.Output<string>;
  /** When its certificates expire, by their names without `ca-`. */
  readonly expiries: Readonly<Record<string, pulumi.Output<string>>>;
}

/** One with a certificate for each of its keys: the first key signs. */
export function madeAuthority(
  parent: pulumi.Resource,
  pki: string,
  name: string,
  lifetimes: Lifetimes,
  keys: readonly string[] = [initialKey],
): TrustedAuthority {
  const made = keys.map((key) => {
    const keyed = key === initialKey ? { name } : { name, key };
    return { called: Object.values(keyed).join("/"), ...createAuthority(parent, pki, keyed, lifetimes) };
  });
  const [signer] = made;
  return {
    ...(signer && { signer }),
    trust: bundle(made.map(({ certificate }) => certificate)),
    expiries: Object.fromEntries(made.map(({ called, expires }) => [called, expires])),
  };
}

/** One that others made, and beside it what is trusted too. */
export function trustedGiven(name: string, given: Given): TrustedAuthority {
  const signer = givenAuthority(given);
  const also = given.alsoTrusted === undefined ? [] : [pulumi.output(given.alsoTrusted)];
  return { signer, trust: bundle([signer.certificate, ...also]), expiries: { [name]: signer.expires } };
}

/** One that others sign for. */
export const foreignAuthority = (certificate: pulumi.Input<string>): TrustedAuthority => ({
  trust: pulumi.output(certificate),
  expiries: {},
});

/** A single one stays as it is. */
function bundle(certificates: pulumi.Output<string>[]): pulumi.Output<string> {
  const [only, ...others] = certificates;
  if (only !== undefined && others.length === 0) return only;
  return pulumi.all(certificates).apply((all) => all.map((pem) => `${pem.trimEnd()}\n`).join(""));
}
