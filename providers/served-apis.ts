import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface ServedApisInputs {
  /** Kubeconfig for the Karmada API. */
  readonly kubeconfig: string;
  /** Groups with their versions, such as `search.karmada.io/v1alpha1`. */
  readonly apis: readonly string[];
  /** How long all of them may take together to be served. */
  readonly timeoutSeconds: number;
}

export type ServedApisOutputs = Record<string, never>;

const provider = forwarding("served-apis-impl");

/**
 * Waits until the Karmada API passes calls on to a component's aggregated APIs: it notices only a moment after their
 * backend is ready, and answers 503 until then. Deleting it does nothing.
 */
export class ServedApis extends DynamicResource<ServedApisInputs> {
  constructor(name: string, args: AsInputs<ServedApisInputs>, opts?: pulumi.CustomResourceOptions) {
    super(
      provider,
      { module: "kube", type: "ServedApis", outputs: [], secretInputs: ["kubeconfig"] },
      name,
      args,
      opts,
    );
  }
}
