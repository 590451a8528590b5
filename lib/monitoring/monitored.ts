/** A program that answers for metrics. */
export type ScrapeTarget = ProcessTarget | PodsTarget;

interface Asked {
  /** `karmada-scheduler-1`: unique in its deployment. */
  readonly process: string;
  /** Upstream's name of what it is: `karmada-scheduler`. */
  readonly component: string;
  /** With `https` it asks for a certificate, and shows one of the authority's. */
  readonly scheme: "http" | "https";
  /** The member that it serves. @default none, or all */
  readonly member?: string;
  /** Of a member of etcd: what tells its cluster from others of the deployment. */
  readonly etcdCluster?: string;
}

/** A process of a machine. */
export interface ProcessTarget extends Asked {
  /** `127.0.0.1:10362`, from the host that it is on. */
  readonly address: string;
  /** Name of the host that it is on. @default there is one machine */
  readonly host?: string;
}

/** The pods of a program. */
export interface PodsTarget extends Asked {
  /** What they have in the label `app.kubernetes.io/instance`; in `app.kubernetes.io/name` they have the component. */
  readonly instance: string;
  readonly copies: number;
  /** Name of the port. */
  readonly port: string;
  /** A name in the certificate that is shown: their addresses are not. */
  readonly serverName: string;
}

/** Where pods are to be found. */
export interface MonitoredPods {
  readonly namespace: string;
  /** Namespaces that a Prometheus comes from. */
  readonly from: readonly string[];
}

/** What a stack gives out for a Prometheus: its output `monitoring`. */
export interface Monitored {
  readonly deployment: string;
  readonly targets: readonly ScrapeTarget[];
  /** @default it runs on machines */
  readonly pods?: MonitoredPods;
  /** A certificate with less than this left is renewed by an `up`. */
  readonly renewBeforeSeconds: number;
  /** PEM; what is shown is signed by the first, the others are for the one who asks. The key is secret. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}
