import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface EncryptedDataInputs {
  /** Changes with how API servers write: then everything is written anew. */
  readonly revision: string;
  /** Changes with what API servers are told: it is noted in the plane, for whoever asks whether it has come to all of them. */
  readonly told: string;
  /** What API servers write encrypted: noted with it, as nobody can read that without the keys. */
  readonly encrypted: readonly string[];
  /** With their groups. */
  readonly resources: readonly string[];
  /** Those of them that are to be encrypted now: of the others it may be that there are no such any more, or never were. */
  readonly wanted: readonly string[];
  /** Of an administrator of the Karmada API. */
  readonly karmadaKubeconfig: string;
  /** How long it may take. */
  readonly timeoutSeconds: number;
}

export interface EncryptedDataOutputs {
  /** How many objects were written anew the last time. */
  readonly objects: number;
}

const provider = forwarding("encrypted-data-impl");

/**
 * What is in etcd, written as the API servers write it now. It depends on all of them: one that cannot read it yet must not be
 * left. Deleting it does nothing.
 */
export class EncryptedData extends DynamicResource<EncryptedDataInputs> {
  declare readonly objects: pulumi.Output<number>;

  constructor(name: string, args: AsInputs<EncryptedDataInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: ["objects"], secretInputs: ["karmadaKubeconfig"] };
    super(provider, { module: "kube", type: "EncryptedData", ...type }, name, args, opts);
  }
}
