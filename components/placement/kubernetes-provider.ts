import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

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
  new k8s.Provider(
    clusterIdentifier,
    {
      kubeconfig,
      clusterIdentifier,
      enableServerSideApply: true,
      enableConfigMapMutable: true,
      enableSecretMutable: true,
      // A killed run may have created what its state does not know.
      upsertExistingObjects: true,
      // The namespace is this deployment's: what others have set in it, such as by kubectl scale, is put back.
      enablePatchForce: true,
    },
    opts,
  );
