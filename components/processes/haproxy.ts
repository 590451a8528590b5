import { file, loopback, port, type Process, text } from "../process.ts";
import { granted } from "./capabilities.ts";
import { authority } from "./certificates.ts";
import { answersPath, haproxyConfiguration, type Led } from "./haproxy-configuration.ts";

/** The component name of every host's haproxy. */
export const haproxyComponent = "haproxy";

/** From the host's operating system, installed by its package. */
export const haproxyProgram = { installed: "/usr/sbin/haproxy" } as const;

/** One on each host of the load balancer; its identity is that host. */
export const haproxyName = (host: string): string => `${haproxyComponent}-${host}`;

/** One haproxy of the load balancer, and its backends. */
export interface Haproxy {
  /** Name of the host it is on. */
  readonly host: string;
  /** Port that clients connect to. */
  readonly port: number;
  /** Names of the API servers to lead to. */
  readonly apiservers: readonly string[];
  /** What it leads the API server of its own host to. */
  readonly behind: readonly BehindApiserver[];
}

/** A program that the API server of the same host is led to, through the haproxy port named after its component. */
export interface BehindApiserver {
  readonly component: string;
  /** Names of its replicas, in order of preference. */
  readonly replicas: readonly string[];
  /** Path of their readiness on the port `secure`, for instance `/readyz`. */
  readonly readyPath: string;
}

/**
 * Leads connections to API servers that report ready, without terminating TLS. It answers on its own host's loopback
 * address for keepalived, which moves the address away from a host where it does not, and for metrics collectors.
 *
 * The API server beside it reaches aggregated servers and webhooks the same way: an APIService or a webhook has one
 * address for all API servers, and only a loopback address leads each to the replica on its own host as long as that
 * serves, and otherwise to others.
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
 * A connection to a host that is gone ends by itself within 5 s (`tcp-ut`, and `srvtcpka` for an idle one), and no new
 * one goes there after three failures; those to a hanging API server are cut when its third check in a row fails. An
 * election of etcd takes less than that. A connection being established to a failed server is cut too, rather than
 * redirected: Kubernetes clients retry read-only requests.
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

/** A refused connection, as while a replica is being replaced, goes to the next one at once. */
const apiserverBeside = ({ component, replicas, readyPath }: BehindApiserver): Led => ({
  clients: `apiserver-${component}`,
  bind: text`${loopback}:${port(component)}`,
  to: component,
  balance: "first",
  processes: replicas,
  port: "secure",
  check: { path: readyPath, verifiedName: "localhost", authority: authorityFile, fall: 2 },
});
