import type * as pulumi from "@pulumi/pulumi";

/** How to come to the etcd of a deployment from outside it: what a stack of snapshots or of a restore is given. */
export interface EtcdAccess {
  /** Name of the deployment. */
  readonly deployment: string;
  /** Client URLs. */
  readonly endpoints: string[];
  /** PEM. The key is secret. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** Where the Karmada has its keys. */
  readonly prefix: string;
  readonly karmadaVersion: string;
  readonly etcdVersion: string;
  /** Directories that hold the data: no snapshot may be kept in them. */
  readonly dataDirectories: string[];
}

/** The same while parts of it are still to come. */
export type EtcdAccessArgs = { readonly [K in keyof EtcdAccess]: pulumi.Input<EtcdAccess[K]> };
