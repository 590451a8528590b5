import { type CertificateRequest, file, type FileSource, type Text, text } from "../process.ts";
import { client } from "./certificates.ts";

/** The API server a program talks to. */
export interface ApiServer {
  /** For instance `https://127.0.0.1:5443`. */
  readonly url: Text;
  /** The authority of its serving certificate and of the certificates its clients show. */
  readonly authority: string;
}

/** The program's own kubeconfig, with its own identity. */
export interface ApiAccess {
  readonly path: string;
  readonly files: Readonly<Record<string, FileSource>>;
  readonly certificates: readonly CertificateRequest[];
}

/** Access as `system:karmada:<component>`; its rights are in components/karmada-api/rules.ts. */
export function karmadaAccess(server: ApiServer, component: string): ApiAccess {
  return apiAccess(server, component, `system:karmada:${component}`, "karmada.config");
}

/**
 * @param certificate name of the client certificate
 * @param user its common name: the user that RBAC sees
 */
export function apiAccess(server: ApiServer, certificate: string, user: string, path = "kubeconfig"): ApiAccess {
  return {
    path,
    files: { [path]: { from: "kubeconfig", certificate, authority: server.authority, server: server.url } },
    certificates: [client(certificate, user, server.authority)],
  };
}

/** `--kubeconfig`. */
export const kubeconfigArgs = (access: ApiAccess): readonly Text[] => withFile(access, ["kubeconfig"]);

/** {@link kubeconfigArgs}, and the two flags with which a server asks the API server who its callers are. */
export const serverKubeconfigArgs = (access: ApiAccess): readonly Text[] =>
  withFile(access, ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"]);

const withFile = ({ path }: ApiAccess, flags: readonly string[]): readonly Text[] =>
  flags.map((flag) => text`--${flag}=${file(path)}`);
