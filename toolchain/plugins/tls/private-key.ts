import { generateKeyPair } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { oneOf } from "../bridge/checks.ts";
import { Diagnostic } from "../bridge/schema.ts";
import type { Attribute, BridgedResource, State } from "../bridge/schema.ts";
import { ALGORITHMS } from "./key.ts";
import type { Algorithm } from "./key.ts";
import { opensshPrivateKey } from "./openssh.ts";
import { encodePem } from "./pem.ts";
import { publicKeyOutputs } from "./public-key.ts";

/** OpenSSL's names of the curves. */
const CURVES: Readonly<Record<string, string>> = {
  P224: "secp224r1",
  P256: "prime256v1",
  P384: "secp384r1",
  P521: "secp521r1",
};
/** Go's crypto/rsa refuses to make smaller keys. */
const SMALLEST_RSA_BITS = 1024;

const shown: Attribute = { kind: "string", output: true };
const hidden: Attribute = { ...shown, sensitive: true };

/** https://github.com/hashicorp/terraform-provider-tls/blob/main/internal/provider/resource_private_key.go */
export const privateKey: BridgedResource = {
  schemaVersion: 1,
  attributes: {
    algorithm: {
      kind: "string",
      required:
        "Name of the algorithm to use when generating the private key. Currently-supported values are: " +
        "`RSA`, `ECDSA`, `ED25519`. ",
      replace: true,
      check: oneOf(ALGORITHMS),
    },
    rsaBits: { kind: "integer", default: 2048, replace: true },
    ecdsaCurve: { kind: "string", default: "P224", replace: true, check: oneOf(Object.keys(CURVES)) },
    privateKeyPem: hidden,
    privateKeyOpenssh: hidden,
    privateKeyPemPkcs8: hidden,
    publicKeyPem: shown,
    publicKeyOpenssh: shown,
    publicKeyFingerprintMd5: shown,
    publicKeyFingerprintSha256: shown,
    id: shown,
  },
  async create(planned) {
    const key = await generate(planned);
    return {
      ...planned,
      privateKeyPem: traditionalPem(key),
      privateKeyPemPkcs8: pkcs8Pem(key),
      privateKeyOpenssh: opensshPrivateKey(key),
      ...publicKeyOutputs(key),
    };
  },
};

/** In a thread of Node's own: an RSA key takes up to seconds. */
function generate(planned: State): Promise<KeyObject> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, _publicKey: KeyObject, key: KeyObject): void =>
      error ? reject(failed(error.message)) : resolve(key);
    switch (planned["algorithm"] as Algorithm) {
      case "RSA": {
        const modulusLength = planned["rsaBits"] as number;
        if (modulusLength < SMALLEST_RSA_BITS) return reject(failed(tooSmall(modulusLength)));
        return generateKeyPair("rsa", { modulusLength }, done);
      }
      case "ECDSA":
        return generateKeyPair("ec", { namedCurve: CURVES[planned["ecdsaCurve"] as string]! }, done);
      case "ED25519":
        return generateKeyPair("ed25519", {}, done);
    }
  });
}

/** PKCS #1 for RSA, SEC 1 for ECDSA, PKCS #8 for Ed25519, which has no older format. */
function traditionalPem(key: KeyObject): string {
  switch (key.asymmetricKeyType) {
    case "rsa":
      return encodePem("RSA PRIVATE KEY", key.export({ format: "der", type: "pkcs1" }));
    case "ec":
      return encodePem("EC PRIVATE KEY", key.export({ format: "der", type: "sec1" }));
    default:
      return pkcs8Pem(key);
  }
}

function pkcs8Pem(key: KeyObject): string {
  return encodePem("PRIVATE KEY", key.export({ format: "der", type: "pkcs8" }));
}

function failed(reason: string): Diagnostic {
  return new Diagnostic("Unable to generate Key from configuration", reason);
}

function tooSmall(bits: number): string {
  return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
}
