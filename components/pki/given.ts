import { createHash, createPublicKey, X509Certificate } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import type { Authority, Leaf, ServiceAccountKey } from "./issue.ts";

/** What is given of an authority, PEM. */
export interface Given {
  readonly certificate: string;
  readonly key: pulumi.Input<string>;
  /** Further certificates that are trusted. @default none */
  readonly alsoTrusted?: string | undefined;
}

/** An authority that others made. No resource: nothing here makes, renews or deletes it. */
export function givenAuthority(given: Given): Authority {
  return givenLeaf(given);
}

/** PEM. */
interface Pair {
  readonly certificate: pulumi.Input<string>;
  readonly key: pulumi.Input<string>;
}

/** A certificate that others issued, with its key. No resource, like an authority of others. */
export function givenLeaf({ certificate, key }: Pair): Leaf {
  const text = pulumi.output(certificate);
  return { certificate: text, key: pulumi.secret(key), expires: text.apply(endOf) };
}

const endOf = (certificate: string): string =>
  new X509Certificate(certificate).validToDate.toISOString().replace(/\.\d+Z$/, "Z");

/** A key for service-account tokens that others made, PEM; its public part is not secret. */
export function givenServiceAccountKey(key: pulumi.Input<string>): ServiceAccountKey {
  const publicKey = pulumi.unsecret(
    pulumi.output(key).apply((pem) => createPublicKey(pem).export({ format: "pem", type: "spki" }).toString()),
  );
  return {
    fingerprint: publicKey.apply((pem) => `SHA256:${createHash("sha256").update(pem).digest("base64")}`),
    public: publicKey,
    private: pulumi.secret(key),
  };
}
