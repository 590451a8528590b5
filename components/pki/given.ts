import { createHash, createPublicKey, X509Certificate } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import type { Authority, ServiceAccountKey } from "./issue.ts";

/** What is given of an authority, PEM. */
export interface Given {
  readonly certificate: string;
  readonly key: pulumi.Input<string>;
  /** Further certificates that are trusted. @default none */
  readonly alsoTrusted?: string | undefined;
}

/** An authority that others made. No resource: nothing here makes, renews or deletes it. */
export function givenAuthority(given: Given): Authority {
  const { validToDate } = new X509Certificate(given.certificate);
  return {
    certificate: pulumi.output(given.certificate),
    key: pulumi.secret(given.key),
    expires: pulumi.output(validToDate.toISOString().replace(/\.\d+Z$/, "Z")),
  };
}

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
