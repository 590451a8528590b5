/** A program that answers for metrics. */
export interface ScrapeTarget {
  /** `karmada-scheduler-1`: unique in its deployment. */
  readonly process: string;
  /** Upstream's name of what it is: `karmada-scheduler`. */
  readonly component: string;
  /** `127.0.0.1:10362`, from the host that it is on. */
  readonly address: string;
  /** With `https` it asks for a certificate, and shows one of the authority's. */
  readonly scheme: "http" | "https";
  /** Name of the host that it is on. @default there is one machine */
  readonly host?: string;
  /** The member that it serves. @default none, or all */
  readonly member?: string;
  /** Of a member of etcd: what tells its cluster from others of the deployment. */
  readonly etcdCluster?: string;
}

/** What a stack gives out for a Prometheus: its output `monitoring`. */
export interface Monitored {
  readonly deployment: string;
  readonly targets: readonly ScrapeTarget[];
  /** A certificate with less than this left is renewed by an `up`. */
  readonly renewBeforeSeconds: number;
  /** PEM; what is shown is signed by the first, the others are for the one who asks. The key is secret. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}
