import type { Process, Text } from "../process.ts";
import { granted } from "./capabilities.ts";
import { file, host, joined, loopback, port, text } from "../process.ts";
import { authority } from "./certificates.ts";

export const haproxyComponent = "haproxy";

export const haproxyProgram = { installed: "/usr/sbin/haproxy" } as const;

/** One on each host of the load balancer; its identity is that host. */
export const haproxyName = (host: string): string => `${haproxyComponent}-${host}`;

export interface Haproxy {
  /** Name of the host it is on. */
  readonly host: string;
  /** Port that clients come to. */
  readonly port: number;
  /** Names of the API servers to lead to. */
  readonly apiservers: readonly string[];
}

/**
 * Leads connections to API servers that say they are ready, without looking into them: TLS is between client and API server.
 * It answers on a port of its own host's loopback address for keepalived, which leaves a host where it does not, and for
 * whoever collects metrics.
 */
export function haproxyProcess({ host: where, port: front, apiservers }: Haproxy): Process {
  return {
    name: haproxyName(where),
    component: haproxyComponent,
    program: haproxyProgram,
    args: ["-db", "-f", [file("haproxy.cfg")]],
    ...(front < 1024 && { unitSettings: granted("CAP_NET_BIND_SERVICE") }),
    ports: ["http"],
    files: {
      "haproxy.cfg": { from: "text", text: configuration(front, apiservers) },
      "pki/ca.crt": authority("karmada"),
    },
    certificates: [],
    probe: { kind: "http", scheme: "http", port: "http", path: answersPath },
    startDeadline: "30s",
    stopDeadline: "5s",
  };
}

/** Where haproxy answers as long as it serves. */
export const answersPath = "/answers";

/** A name in the certificate of every API server, and of no other program: haproxy verifies names, not addresses. */
const verifiedName = "kubernetes.default.svc";

/**
 * A connection to a host that is gone ends within 5 s by itself (`tcp-ut`, and `srvtcpka` for one where nothing is under way),
 * and no new one goes there after three that failed; those to an API server that hangs are cut when its third check in a row
 * fails. An election of etcd takes less than that. What is just being connected to a server that is given up is cut too, and
 * not led to another one: clients of Kubernetes ask again what changes nothing.
 */
function configuration(front: number, apiservers: readonly string[]): Text {
  return haproxyConfiguration(text`
frontend clients
    bind :${String(front)}
    default_backend apiservers

backend apiservers
    balance leastconn
    option httpchk
    http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host ${verifiedName}
    http-check expect status 200
    default-server ${checked(verifiedName, "pki/ca.crt", 3)}
${servers("secure", apiservers)}`);
}

/** Lines for processes to lead to. */
export const servers = (name: string, processes: readonly string[]): Text =>
  joined(
    processes.map((process) => text`    server ${process} ${host(process)}:${port(name, process)}\n`),
    "",
  );

/**
 * How servers are asked, by TLS with a verified name, and when they are left: connections to one are cut as soon as it is. One
 * that is back is led to again within a quarter of a second.
 *
 * @param ca key of the file with the authority of their certificates
 * @param fall checks in a row that fail before one is left: a second and then half a second apart, half a second each on a
 *   host that is gone
 */
export const checked = (name: string, ca: string, fall: number): Text =>
  text`check check-ssl check-sni ${name} verify required verifyhost ${name} ca-file ${file(ca)} inter 1s fastinter 500ms downinter 250ms fall ${String(fall)} rise 1 observe layer4 error-limit 3 on-error mark-down on-marked-down shutdown-sessions tcp-ut 4s`;

/**
 * A whole configuration: what it leads where, and where it answers as long as it does, for metrics too if it was built for that
 * (those of Debian, Ubuntu and Fedora are).
 */
export function haproxyConfiguration(sections: Text): Text {
  return text`global
    log stdout format raw daemon
    maxconn 20000
    # A host that allows fewer open files has fewer connections.
    no strict-limits

defaults
    mode tcp
    log global
    option dontlog-normal
    # A host that is gone must not cost a client more than the patience it has.
    timeout connect 500ms
    timeout check 2s
    # A watch may say nothing for a minute, and clients keep connections they do not use.
    timeout client 1h
    timeout server 1h
    option clitcpka
    option srvtcpka
    srvtcpka-idle 2s
    srvtcpka-intvl 1s
    srvtcpka-cnt 2
    retries 3
    option redispatch 1
${sections}
frontend answers
    mode http
    no log
    bind ${loopback}:${port("http")}
    timeout client 5s
    monitor-uri ${answersPath}
.if feature(PROMEX)
    http-request use-service prometheus-exporter if { path /metrics }
.endif
`;
}
