import { createPrivateKey } from "node:crypto";
import ssh2 from "ssh2";
import { opensshPrivateKey } from "../../tls/openssh.ts";

/**
 * A private key in the form ssh2 reads, without its passphrase: ssh2 knows neither PKCS #8 nor every traditional PEM.
 * @throws Error in Go's words; never with anything of the key
 */
export function loadPrivateKey(pem: string, passphrase: string | undefined): string | Buffer {
  const type = /-----BEGIN ([A-Z ]+)-----/.exec(pem)?.[1];
  if (type === undefined) throw new Error("ssh: no key found");
  return type === "OPENSSH PRIVATE KEY" ? checkOpenssh(pem, passphrase) : convert(pem, type, passphrase);
}

function checkOpenssh(pem: string, passphrase: string | undefined): string {
  const parsed = ssh2.utils.parseKey(pem, passphrase);
  if (!(parsed instanceof Error)) return pem;
  throw new Error(
    /no passphrase given/i.test(parsed.message)
      ? "ssh: this private key is passphrase protected"
      : passphrase !== undefined
        ? "x509: decryption password incorrect"
        : "ssh: invalid openssh private key format",
  );
}

function convert(pem: string, type: string, passphrase: string | undefined): string {
  const isEncrypted = type === "ENCRYPTED PRIVATE KEY" || pem.includes("ENCRYPTED");
  if (isEncrypted && passphrase === undefined) throw new Error("ssh: this private key is passphrase protected");
  try {
    return opensshPrivateKey(createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) }));
  } catch {
    throw new Error(isEncrypted ? "x509: decryption password incorrect" : `ssh: unsupported key type "${type}"`);
  }
}
