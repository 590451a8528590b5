import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAuthority } from "../../support/certificates.ts";

/** Who somebody is, as what they sign in to says it. */
export interface Claims {
  readonly email: string;
  readonly groups: readonly string[];
}

/** Something to sign in to by OpenID Connect, on this machine: it stands for a company's own, which is no part of a test. */
export interface SignIn {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  /** An ID token, valid for five minutes. */
  token(claims: Claims): string;
  close(): void;
}

/** @param audience whom its tokens are for */
export async function startSignIn(audience: string): Promise<SignIn> {
  const authority = await createAuthority("sign-in");
  const { certificate, key } = await authority.issue({ commonName: "sign-in", hosts: ["127.0.0.1"] });
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = { keys: [{ ...pair.publicKey.export({ format: "jwk" }), kid: "1", alg: "ES256", use: "sig" }] };
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const discovery = {
      issuer: url,
      jwks_uri: `${url}/keys`,
      authorization_endpoint: `${url}/authorize`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(request.url === "/keys" ? keys : discovery));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    authority: authority.certificate,
    token: (claims) => {
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: url, aud: audience, sub: claims.email, iat: now, exp: now + 300, email_verified: true };
      const parts = [
        { alg: "ES256", kid: "1" },
        { ...payload, ...claims },
      ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
      const signed = sign("sha256", Buffer.from(parts.join(".")), { key: pair.privateKey, dsaEncoding: "ieee-p1363" });
      return [...parts, signed.toString("base64url")].join(".");
    },
    close: () => server.close(),
  };
}
