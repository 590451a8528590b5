import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface KarmadaCrdsInputs {
  /** Kubeconfig of the Karmada API server, with the right to write custom resource definitions. */
  readonly kubeconfig: string;
  /** Karmada's version without `v`; its CRDs come from the toolchain. */
  readonly version: string;
  /** Karmada's webhook, to the path that converts objects: `https://10.0.0.7:8443/convert`. */
  readonly webhookUrl: string;
  /** PEM of the authority that signed the webhook's certificate. */
  readonly caBundle: string;
  /** How long it may take until all are served. */
  readonly timeoutSeconds: number;
}

export interface KarmadaCrdsOutputs {
  /** SHA-256 of what was applied. */
  readonly hash: string;
  /** Names of the CRDs, for instance `works.work.karmada.io`. */
  readonly names: string[];
  /** Each CRD's generation when it was applied; a different one means that somebody changed it. */
  readonly generations: Record<string, number>;
}

const provider = forwarding("karmada-crds-impl");

/**
 * Karmada's custom resource definitions, as one resource. Deleting it removes none of them: every policy, binding and
 * work would go with its CRD. They go with the control plane's data.
 */
export class KarmadaCrds extends DynamicResource<KarmadaCrdsInputs> {
  declare readonly hash: pulumi.Output<string>;
  declare readonly names: pulumi.Output<string[]>;
  declare readonly generations: pulumi.Output<Record<string, number>>;

  constructor(name: string, args: AsInputs<KarmadaCrdsInputs>, opts?: pulumi.CustomResourceOptions) {
    super(
      provider,
      { module: "kube", type: "KarmadaCrds", outputs: ["hash", "names", "generations"], secretInputs: ["kubeconfig"] },
      name,
      args,
      opts,
    );
  }
}
