import * as k8s from "@pulumi/kubernetes";
import { KubernetesObject } from "../components/kubernetes-object.ts";
import { oneContext } from "../lib/kube/one-context.ts";
import type { AdoptedObject } from "../spec/adopted-program.ts";
import type { PlaneNow } from "./adopted-plane.ts";
import type { ConfiguredAdopted } from "./sealed/configured.ts";

/**
 * A Karmada that something else has built, where it is: each object of its namespace that the manifests describe is
 * imported as it is, and follows its manifest from then on. Nothing is ever deleted there: what leaves the manifests,
 * or the whole stack, is released and stays. Patches change what a manifest changes and nothing else, whoever else has
 * set fields of the object.
 */
export function adoptedStack({ config, now }: { readonly config: ConfiguredAdopted; readonly now: PlaneNow }) {
  const { credentials, namespace, objects } = config;
  const { kubeconfig, context } = credentials;
  const provider = new k8s.Provider("host-cluster", {
    kubeconfig: kubeconfig.apply((text) => oneContext(text, context)),
    // Known from the first preview and constant: a change would replace the provider, and everything with it.
    clusterIdentifier: namespace,
    // With server-side apply this program would own every field, in conflict with whoever set them.
    enableServerSideApply: false,
    enableConfigMapMutable: true,
    enableSecretMutable: true,
  });
  for (const each of objects) takeOver(each, provider);
  return {
    namespace,
    objects: objects.map(({ object }) => `${object.kind} ${object.metadata.name}`),
    members: now.members,
  };
}

function takeOver({ object, isTaken }: AdoptedObject, provider: k8s.Provider): void {
  const { kind, metadata } = object;
  const id = [metadata.namespace, metadata.name].filter((part) => part !== undefined).join("/");
  new KubernetesObject(`${kind.toLowerCase()}-${metadata.name}`, object, {
    provider,
    retainOnDelete: true,
    ...(isTaken && { import: id }),
    ...(isTaken && kind === "Secret" && { ignoreChanges: ["data"] }),
  });
}
