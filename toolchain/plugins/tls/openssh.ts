/** Keys in OpenSSH's formats (PROTOCOL.key of OpenSSH, RFC 4253 section 6.6, RFC 5656, RFC 8709). */
import { createHash, createPublicKey, randomBytes } from "node:crypto";
import type { KeyObject, webcrypto } from "node:crypto";
import { encodePem } from "./pem.ts";

/** OpenSSH's names of the curves, by OpenSSL's; it has none for P-224. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: "nistp256",
  secp384r1: "nistp384",
  secp521r1: "nistp521",
};

/** Whether OpenSSH can hold a key of this kind. */
function isOpensshKey(key: KeyObject): boolean {
  return key.asymmetricKeyType !== "ec" || curveOf(key) !== undefined;
}

/** `ssh-ed25519 AAAA...` with a line end, and the two fingerprints; all empty for a key OpenSSH cannot hold. */
export function opensshPublicKey(key: KeyObject): { line: string; md5: string; sha256: string } {
  if (!isOpensshKey(key)) return { line: "", md5: "", sha256: "" };
  const { type, blob } = publicBlob(key);
  const md5 = createHash("md5").update(blob).digest("hex").match(/../g)!.join(":");
  const sha256 = createHash("sha256").update(blob).digest("base64").replace(/=+$/, "");
  return { line: `${type} ${blob.toString("base64")}\n`, md5, sha256: `SHA256:${sha256}` };
}

/** The private key as `ssh-keygen` writes it, without a passphrase; empty for a key OpenSSH cannot hold. */
export function opensshPrivateKey(key: KeyObject): string {
  if (!isOpensshKey(key)) return "";
  const check = randomBytes(4);
  const { blob } = publicBlob(key);
  const secret = Buffer.concat([check, check, privateFields(key), text("")]);
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, i) => i + 1));
  const count = Buffer.from([0, 0, 0, 1]);
  const content = [text("none"), text("none"), text(""), count, text(blob), text(Buffer.concat([secret, padding]))];
  return encodePem("OPENSSH PRIVATE KEY", Buffer.concat([Buffer.from("openssh-key-v1\0"), ...content]));
}

function publicBlob(key: KeyObject): { type: string; blob: Buffer } {
  const jwk = (key.type === "private" ? createPublicKey(key) : key).export({ format: "jwk" });
  switch (key.asymmetricKeyType) {
    case "rsa":
      return { type: "ssh-rsa", blob: Buffer.concat([text("ssh-rsa"), number(jwk.e), number(jwk.n)]) };
    case "ec": {
      const curve = curveOf(key)!;
      const type = `ecdsa-sha2-${curve}`;
      return { type, blob: Buffer.concat([text(type), text(curve), text(point(jwk))]) };
    }
    default:
      return { type: "ssh-ed25519", blob: Buffer.concat([text("ssh-ed25519"), text(bytes(jwk.x))]) };
  }
}

function privateFields(key: KeyObject): Buffer {
  const jwk = key.export({ format: "jwk" });
  switch (key.asymmetricKeyType) {
    case "rsa":
      return Buffer.concat([text("ssh-rsa"), ...[jwk.n, jwk.e, jwk.d, jwk.qi, jwk.p, jwk.q].map(number)]);
    case "ec": {
      const curve = curveOf(key)!;
      return Buffer.concat([text(`ecdsa-sha2-${curve}`), text(curve), text(point(jwk)), number(jwk.d)]);
    }
    default:
      return Buffer.concat([
        text("ssh-ed25519"),
        text(bytes(jwk.x)),
        text(Buffer.concat([bytes(jwk.d), bytes(jwk.x)])),
      ]);
  }
}

function curveOf(key: KeyObject): string | undefined {
  return CURVES[key.asymmetricKeyDetails?.namedCurve ?? ""];
}

/** The uncompressed point. */
function point(jwk: webcrypto.JsonWebKey): Buffer {
  return Buffer.concat([Buffer.from([4]), bytes(jwk.x), bytes(jwk.y)]);
}

function bytes(base64url: string | undefined): Buffer {
  return Buffer.from(base64url ?? "", "base64url");
}

/** A length and the bytes. */
function text(value: string | Buffer): Buffer {
  const content = Buffer.from(value);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(content.length);
  return Buffer.concat([size, content]);
}

/** A positive number without leading zeros, but for the one that keeps it positive. */
function number(base64url: string | undefined): Buffer {
  const content = bytes(base64url);
  const start = content.findIndex((byte) => byte !== 0);
  const significant = content.subarray(start);
  return text(significant[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), significant]) : significant);
}
