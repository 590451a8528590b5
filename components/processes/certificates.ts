import { type CertificateRequest, file, type FileSource, type Text, text } from "../process.ts";

/** A certificate in a process's files: `<path>.crt` and `<path>.key`. */
export function pair(path: string, certificate: string): Record<string, FileSource> {
  return {
    [`${path}.crt`]: { from: "certificate", certificate },
    [`${path}.key`]: { from: "private-key", certificate },
  };
}

/** The trusted certificates of an authority, as a file. */
export const authority = (name: string): FileSource => ({ from: "authority", authority: name });

/** The one certificate of an authority with which it signs, as a file. */
export const authorityCertificate = (name: string): FileSource => ({ from: "authority-certificate", authority: name });

/** A serving certificate, valid for these hosts and for the loopback names a probe on the same host uses. */
export function serving(
  name: string,
  commonName: string,
  hosts: readonly Text[],
  authorityName = "karmada",
): CertificateRequest {
  return {
    name,
    authority: authorityName,
    commonName,
    usages: ["server"],
    hosts: [...hosts, "localhost", "127.0.0.1"],
  };
}

/** For a client that logs in to servers of that authority under a common name. */
export function client(name: string, commonName: string, authorityName = "karmada"): CertificateRequest {
  return { name, authority: authorityName, commonName, usages: ["client"] };
}

/** `--tls-cert-file` and `--tls-private-key-file` of a server that shows the pair at `path`. */
export function servingArgs(path: string): readonly Text[] {
  return [text`--tls-cert-file=${file(`${path}.crt`)}`, text`--tls-private-key-file=${file(`${path}.key`)}`];
}
