import type { Process } from "../process.ts";
import { file, loopback, port, text } from "../process.ts";
import { granted } from "./capabilities.ts";
import { authority } from "./certificates.ts";
import { answersPath, haproxyConfiguration, type Led } from "./haproxy-configuration.ts";

/** The component that the haproxy of each host is. */
export const haproxyComponent = "haproxy";

/** Of the host's operating system, whose package puts it there. */
export const haproxyProgram = { installed: "/usr/sbin/haproxy" } as const;

/** One on each host of the load balancer; its identity is that host. */
export const haproxyName = (host: string): string => `${haproxyComponent}-${host}`;

/** One haproxy of the load balancer, and what it leads to. */
export interface Haproxy {
  /** Name of the host it is on. */
  readonly host: string;
  /** Port that clients come to. */
  readonly port: number;
  /** Names of the API servers to lead to. */
  readonly apiservers: readonly string[];
  /** What to lead the API server of its own host to. */
  readonly behind: readonly BehindApiserver[];
}

/** A program that the API server of the same host is led to, by the port of haproxy that has the name of its component. */
export interface BehindApiserver {
  readonly component: string;
  /** Names of its replicas, each the choice where those before it do not serve. */
  readonly replicas: readonly string[];
  /** Where they say on their port `secure` that they are ready, for instance `/readyz`. */
  readonly readyPath: string;
}

/**
 * Leads connections to API servers that say they are ready, without looking into them: TLS is between client and API server.
 * It answers on a port of its own host's loopback address for keepalived, which leaves a host where it does not, and for
 * whoever collects metrics.
 *
 * The API server beside it comes to what is behind API servers the same way: an APIService or a webhook has one address for
 * all of them, and only a loopback address leads each to the replica on its own host as long as that serves, and then to others.
 */
export function haproxyProcess({ host: where, port: front, apiservers, behind }: Haproxy): Process {
  return {
    name: haproxyName(where),
    component: haproxyComponent,
    program: haproxyProgram,
    args: ["-db", "-f", [file("haproxy.cfg")]],
    ...(front < 1024 && { unitSettings: granted("CAP_NET_BIND_SERVICE") }),
    ports: ["http", ...behind.map(({ component }) => component)],
    files: {
      "haproxy.cfg": {
        from: "text",
        text: haproxyConfiguration([clients(front, apiservers), ...behind.map(apiserverBeside)]),
      },
      [authorityFile]: authority("karmada"),
    },
    certificates: [],
    probe: { kind: "http", scheme: "http", port: "http", path: answersPath },
    startDeadline: "30s",
    stopDeadline: "5s",
  };
}

const authorityFile = "pki/ca.crt";

/**
 * A connection to a host that is gone ends within 5 s by itself (`tcp-ut`, and `srvtcpka` for one where nothing is under way),
 * and no new one goes there after three that failed; those to an API server that hangs are cut when its third check in a row
 * fails. An election of etcd takes less than that. What is just being connected to a server that is given up is cut too, and
 * not led to another one: clients of Kubernetes ask again what changes nothing.
 */
const clients = (front: number, apiservers: readonly string[]): Led => ({
  clients: "clients",
  bind: `:${String(front)}`,
  to: "apiservers",
  balance: "leastconn",
  processes: apiservers,
  port: "secure",
  // In the certificate of every API server, and of no other program.
  check: { path: "/readyz", verifiedName: "kubernetes.default.svc", authority: authorityFile, fall: 3 },
});

/** A connection that is refused, as by a replica that is just changed, is led to the next one at once. */
const apiserverBeside = ({ component, replicas, readyPath }: BehindApiserver): Led => ({
  clients: `apiserver-${component}`,
  bind: text`${loopback}:${port(component)}`,
  to: component,
  balance: "first",
  processes: replicas,
  port: "secure",
  check: { path: readyPath, verifiedName: "localhost", authority: authorityFile, fall: 2 },
});
