import type * as pulumi from "@pulumi/pulumi";
import type { DeployedPods } from "../lib/host-cluster/former-pods.ts";
import type { Encrypter } from "../lib/kube/encryption.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface EncryptedDataInputs {
  /** Changes with how API servers write: then everything is rewritten. */
  readonly revision: string;
  /**
   * Changes with the API servers' settings: it is noted in the plane, to tell whether all of them have received these.
   */
  readonly told: string;
  /** Resources that API servers write encrypted: noted with it, since they cannot be read without the keys. */
  readonly encrypted: readonly string[];
  /** What encrypts them: noted as well. @default keys of the API servers */
  readonly by?: readonly Encrypter[];
  /** With their groups. */
  readonly resources: readonly string[];
  /** Those of them to be encrypted now: the others may no longer exist, or never have. */
  readonly wanted: readonly string[];
  /** Kubeconfig of a Karmada administrator. */
  readonly karmadaKubeconfig: string;
  /** Its API servers, where they are pods: those with former settings are waited for. Secret. @default they are not */
  readonly pods?: DeployedPods;
  /** How long the rewriting may take. */
  readonly timeoutSeconds: number;
}

export interface EncryptedDataOutputs {
  /** How many objects were rewritten the last time. */
  readonly objects: number;
}

const provider = forwarding("encrypted-data-impl");

/**
 * The data in etcd, rewritten as the API servers write now. It depends on all of them: none may be left that cannot
 * read them yet, or that still writes as before. Deleting it does nothing.
 */
export class EncryptedData extends DynamicResource<EncryptedDataInputs> {
  declare readonly objects: pulumi.Output<number>;

  constructor(name: string, args: AsInputs<EncryptedDataInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: ["objects"], secretInputs: ["karmadaKubeconfig", "pods"] };
    super(provider, { module: "kube", type: "EncryptedData", ...type }, name, args, opts);
  }
}
