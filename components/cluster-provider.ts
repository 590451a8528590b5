import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

interface ClusterProviderArgs extends Omit<k8s.ProviderArgs, "enableServerSideApply" | "upsertExistingObjects"> {
  readonly kubeconfig: pulumi.Input<string>;
  /** Known from the first preview, and constant: a change would replace the provider, and with it every object. */
  readonly clusterIdentifier: string;
}

/** What makes objects in a cluster, also where a killed run has created what its state does not know. */
export const clusterProvider = (name: string, args: ClusterProviderArgs, opts: pulumi.ResourceOptions): k8s.Provider =>
  new k8s.Provider(name, { ...args, enableServerSideApply: true, upsertExistingObjects: true }, opts);
