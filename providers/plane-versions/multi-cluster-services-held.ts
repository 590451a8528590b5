import { connect } from "../../lib/kube/client.ts";

/**
 * Names of the MultiClusterServices that only karmada-controller-manager with their feature gate can release; none if
 * the API does not answer, since nothing can be deleted there either.
 */
export async function heldMultiClusterServices(kubeconfig: string): Promise<string[]> {
  try {
    const plane = await connect(kubeconfig);
    const { items } = await plane.get<{ items: Service[] }>(collection, { timeout: 5000 });
    return items
      .filter(({ metadata }) => metadata.finalizers?.includes(finalizer))
      .map(({ metadata: { namespace, name } }) => `${namespace}/${name}`)
      .sort();
  } catch {
    return [];
  }
}

interface Service {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly finalizers?: readonly string[] };
}

const collection = "/apis/networking.karmada.io/v1alpha1/multiclusterservices";

/** Karmada, pkg/util/constants.go, MCSControllerFinalizer. */
const finalizer = "karmada.io/multiclusterservice-controller";
