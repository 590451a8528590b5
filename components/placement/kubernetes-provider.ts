import type * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { clusterProvider } from "../cluster-provider.ts";

/**
 * What makes objects in the namespace of a deployment.
 *
 * @param clusterIdentifier the cluster, whatever address it has: the namespace tells whether it is another one. Replaced
 *   objects would be created first, which takes over existing ones, and then deleted
 */
export const hostClusterProvider = (
  clusterIdentifier: string,
  kubeconfig: pulumi.Input<string>,
  opts: pulumi.ResourceOptions,
): k8s.Provider =>
  clusterProvider(
    clusterIdentifier,
    {
      kubeconfig,
      clusterIdentifier,
      enableConfigMapMutable: true,
      enableSecretMutable: true,
      // The namespace is this deployment's: what others have set in it, such as by kubectl scale, is put back.
      enablePatchForce: true,
    },
    opts,
  );
