import { type CertificateRequest, file, type FileSource, joined, type Text, text } from "../process.ts";
import { authority, pair } from "./certificates.ts";

/** How etcd is reached, whether it is ours or external. */
export interface EtcdConnection {
  /** URLs of the members. */
  readonly endpoints: readonly Text[];
  /** URLs of the members, comma-separated, for a program that keeps its connections. @default `endpoints` */
  readonly servers?: Text;
  /** The authority that signed the members' certificates. */
  readonly authority: string;
  /** Key prefix of everything that is stored, for instance `/registry`. */
  readonly prefix: string;
  /**
   * Other clusters that hold some kinds of objects, each as `group/resource`; their URLs separated by semicolons.
   * @default none
   */
  readonly overrides?: readonly { readonly resources: readonly string[]; readonly servers: Text }[];
  /** The certificate a program shows. */
  identity(program: string): EtcdIdentity;
}

/** How a program logs in to etcd. */
export interface EtcdIdentity {
  /** Name of the certificate. */
  readonly certificate: string;
  /** Set when it is ours to issue. */
  readonly request?: CertificateRequest;
}

/** What an API server needs to store its objects in etcd. */
export interface EtcdClient {
  readonly args: readonly Text[];
  readonly files: Readonly<Record<string, FileSource>>;
  readonly certificates: readonly CertificateRequest[];
}

/** How an API server stores its objects: flags, files, and its client certificate for etcd. */
export function etcdClient(etcd: EtcdConnection, program: string): EtcdClient {
  const { certificate, request } = etcd.identity(program);
  return {
    args: [
      text`--etcd-servers=${etcd.servers ?? joined(etcd.endpoints, ",")}`,
      `--etcd-prefix=${etcd.prefix}`,
      text`--etcd-cafile=${file("pki/etcd/ca.crt")}`,
      text`--etcd-certfile=${file("pki/apiserver-etcd-client.crt")}`,
      text`--etcd-keyfile=${file("pki/apiserver-etcd-client.key")}`,
    ],
    files: {
      "pki/etcd/ca.crt": authority(etcd.authority),
      ...pair("pki/apiserver-etcd-client", certificate),
    },
    certificates: request === undefined ? [] : [request],
  };
}

/** Tells a kube-apiserver which kinds of objects other clusters hold. */
export function overrideArgs({ overrides = [] }: EtcdConnection): readonly Text[] {
  const servers = overrides.flatMap(({ resources, servers }) =>
    resources.map((resource) => text`${resource}#${servers}`),
  );
  return servers.length === 0 ? [] : [text`--etcd-servers-overrides=${joined(servers, ",")}`];
}
