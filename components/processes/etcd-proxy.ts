import { file, loopback, port, type Process, text } from "../process.ts";
import { authority } from "./certificates.ts";
import type { EtcdConnection } from "./etcd-client.ts";
import { answersPath, haproxyConfiguration, type Led } from "./haproxy-configuration.ts";
import { haproxyProgram } from "./haproxy.ts";

/** The component name of every host's proxy. */
export const etcdProxyComponent = "etcd-proxy";

/** One per host; its identity is that host. */
export const etcdProxyName = (host: string): string => `${etcdProxyComponent}-${host}`;

/** A proxy on one host, and its backends. */
export interface EtcdProxy {
  readonly name: string;
  /** Its backends: the names of the members, and of the proxy's port for them. */
  readonly etcds: readonly { readonly port: string; readonly members: readonly string[] }[];
  readonly etcd: EtcdConnection;
}

/**
 * Leads programs on its host to the members of etcd that serve, without terminating TLS. kube-apiserver's client sends
 * a keepalive every 30 s and waits 10 s for the answer (apiserver/pkg/storage/storagebackend/factory/etcd3.go): at a
 * member whose host has lost power, a watch would hear nothing for that long. Here its connections are cut within 2.5
 * s, and the client reconnects to another member.
 */
export function etcdProxyProcess({ name, etcds, etcd }: EtcdProxy): Process {
  const { certificate, request } = etcd.identity(etcdProxyComponent);
  return {
    name,
    component: etcdProxyComponent,
    program: haproxyProgram,
    args: ["-db", "-f", [file("haproxy.cfg")]],
    ports: [...etcds.map(({ port }) => port), "http"],
    files: {
      "haproxy.cfg": { from: "text", text: haproxyConfiguration(etcds.map(led)) },
      "pki/etcd/ca.crt": authority(etcd.authority),
      "pki/client.crt": { from: "certificate", certificate },
      // The file name under which haproxy looks for a certificate's key.
      "pki/client.crt.key": { from: "private-key", certificate },
    },
    certificates: request === undefined ? [] : [request],
    probe: { kind: "http", scheme: "http", port: "http", path: answersPath },
    startDeadline: "30s",
    stopDeadline: "5s",
  };
}

/**
 * The check is serializable, so that a member without a leader passes: if all were left out, clients would have nobody
 * at all.
 */
const led = ({ port: name, members }: EtcdProxy["etcds"][number]): Led => ({
  clients: name === "etcd" ? "clients" : `clients-${name}`,
  bind: text`${loopback}:${port(name)}`,
  to: name,
  balance: "leastconn",
  processes: members,
  port: "client",
  check: {
    path: "/health?serializable=true",
    // In the certificate of every member.
    verifiedName: "localhost",
    authority: "pki/etcd/ca.crt",
    certificate: "pki/client.crt",
    fall: 2,
  },
});
