import type { Process } from "../process.ts";
import { file, loopback, port, text } from "../process.ts";
import { authority } from "./certificates.ts";
import type { EtcdConnection } from "./etcd-client.ts";
import { answersPath, haproxyConfiguration, type Led } from "./haproxy-configuration.ts";
import { haproxyProgram } from "./haproxy.ts";

/** The component that the proxy of each host is. */
export const etcdProxyComponent = "etcd-proxy";

/** One on a host; its identity is that host. */
export const etcdProxyName = (host: string): string => `${etcdProxyComponent}-${host}`;

/** A proxy on one host, and what it leads to. */
export interface EtcdProxy {
  readonly name: string;
  /** What to lead to: the names of the members, and of the port by which. */
  readonly etcds: readonly { readonly port: string; readonly members: readonly string[] }[];
  readonly etcd: EtcdConnection;
}

/**
 * Leads programs of its own host to the members of etcd that serve, without looking into the connections. kube-apiserver's
 * client asks whether a member is still there every 30 s and gives it 10 s to answer
 * (apiserver/pkg/storage/storagebackend/factory/etcd3.go): on a member whose host has lost its power, a watch would hear
 * nothing for as long. Here its connections are cut within 2.5 s, and the client comes back to another member.
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
      // The name by which haproxy finds the key of a certificate.
      "pki/client.crt.key": { from: "private-key", certificate },
    },
    certificates: request === undefined ? [] : [request],
    probe: { kind: "http", scheme: "http", port: "http", path: answersPath },
    startDeadline: "30s",
    stopDeadline: "5s",
  };
}

/** A member that has no leader is asked what it knows by itself: cut off from it, clients would have nobody at all. */
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
