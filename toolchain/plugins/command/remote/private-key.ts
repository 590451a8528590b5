import { createPrivateKey } from "node:crypto";
import ssh2 from "ssh2";
import type { ParsedKey } from "ssh2";
import { opensshPrivateKey } from "../../tls/openssh.ts";

/**
 * A private key in the form ssh2 reads, without its passphrase: ssh2 knows neither PKCS #8 nor every traditional PEM.
 * @throws Error in Go's words; never with anything of the key
 */
export function loadPrivateKey(pem: string, passphrase: string | undefined): ParsedKey {
  const type = /-----BEGIN ([A-Z ]+)-----/.exec(pem)?.[1];
  if (type === undefined) throw new Error("ssh: no key found");
  return type === "OPENSSH PRIVATE KEY" ? parseOpenssh(pem, passphrase) : convert(pem, type, passphrase);
}

function parseOpenssh(pem: string, passphrase?: string): ParsedKey {
  const parsed = ssh2.utils.parseKey(pem, passphrase);
  if (!(parsed instanceof Error)) return [parsed].flat()[0]!;
  throw new Error(
    /no passphrase given/i.test(parsed.message)
      ? "ssh: this private key is passphrase protected"
      : passphrase !== undefined
        ? "x509: decryption password incorrect"
        : "ssh: invalid openssh private key format",
  );
}

function convert(pem: string, type: string, passphrase: string | undefined): ParsedKey {
  const isEncrypted = type === "ENCRYPTED PRIVATE KEY" || pem.includes("ENCRYPTED");
  if (isEncrypted && passphrase === undefined) throw new Error("ssh: this private key is passphrase protected");
  try {
    const key = createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) });
    return parseOpenssh(opensshPrivateKey(key));
  } catch {
    throw new Error(isEncrypted ? "x509: decryption password incorrect" : `ssh: unsupported key type "${type}"`);
  }
}
