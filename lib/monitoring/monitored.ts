/** A program that serves metrics. */
export type ScrapeTarget = ProcessTarget | PodsTarget;

interface Asked {
  /** `karmada-scheduler-1`: unique in its deployment. */
  readonly process: string;
  /** Upstream's name of what it is: `karmada-scheduler`. */
  readonly component: string;
  /** With `https` it requires a client certificate, and shows one issued by the authority. */
  readonly scheme: "http" | "https";
  /** The member that it serves. @default none, or all */
  readonly member?: string;
  /** The etcd cluster of a member of etcd, told from others of the deployment. */
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
  /** Their label `app.kubernetes.io/instance`; `app.kubernetes.io/name` is the component. */
  readonly instance: string;
  readonly copies: number;
  /** Name of the port. */
  readonly port: string;
  /** A name in the certificate they show: their addresses are not in it. */
  readonly serverName: string;
}

/** Where pods are to be found. */
export interface MonitoredPods {
  readonly namespace: string;
  /** Namespaces from which a Prometheus scrapes. */
  readonly from: readonly string[];
}

/** Who renews authorities, and when. */
export interface MonitoredAuthorities {
  /** One with less than this left is renewed by an `up`, unless it is given. */
  readonly renewBeforeSeconds: number;
  /** Their names among the certificates, for instance `ca-karmada`. */
  readonly given: readonly string[];
}

/** What a stack gives out for a Prometheus: its output `monitoring`. */
export interface Monitored {
  readonly deployment: string;
  readonly targets: readonly ScrapeTarget[];
  /** @default it runs on machines */
  readonly pods?: MonitoredPods;
  /** A certificate with less than this left is renewed by an `up`. */
  readonly renewBeforeSeconds: number;
  /**
   * Absent in outputs of older releases. @default all are made, and the alert comes 90 days before the end of one
   */
  readonly authorities?: MonitoredAuthorities;
  /** PEM; servers' certificates are signed by the first, the others are for the client. The key is secret. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}
