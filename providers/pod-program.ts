import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface PodProgramInputs {
  /** Kubeconfig of the host cluster. Secret. */
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Name of the ConfigMap. */
  readonly name: string;
  /** File of the program in this project: `lib/backup/main.ts`. */
  readonly main: string;
  /** Digest of the program as one file. */
  readonly sha256: string;
}

const provider = forwarding("pod-program-impl");

/**
 * A program of ours in a host cluster, for pods to run: a ConfigMap with it as one compressed file. The state has its digest
 * only. Deleting it deletes the ConfigMap.
 */
export class PodProgram extends DynamicResource<PodProgramInputs> {
  declare readonly name: pulumi.Output<string>;
  declare readonly sha256: pulumi.Output<string>;

  constructor(name: string, args: AsInputs<PodProgramInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: [], secretInputs: ["kubeconfig"], deleteBeforeReplace: true };
    super(provider, { module: "kubernetes", type: "PodProgram", ...type }, name, args, opts);
  }
}
