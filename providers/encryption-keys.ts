import type * as pulumi from "@pulumi/pulumi";
import type { EncryptionKey } from "../lib/kube/encryption.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface EncryptionKeysInputs {
  /** Whether it is to be written encrypted, or in clear again. */
  readonly provider: "secretbox" | "identity";
  /** With their groups. */
  readonly resources: readonly string[];
  /** What is new has another key be made, and the one after the present one written with. @default "" */
  readonly rotate: string;
  /** Further keys to read with. Secret. */
  readonly further: readonly EncryptionKey[];
  /** Whether API servers with and without a change of it serve at the same time while they are changed. */
  readonly overlapping: boolean;
  /** Of an administrator of the Karmada API. */
  readonly karmadaKubeconfig: string;
}

export interface EncryptionKeysOutputs {
  /** All there ever were, and those whose turn to be written with is still to come, in the order of their turns. Secret. */
  readonly keys: readonly EncryptionKey[];
  /** The name of the one that is written with. */
  readonly current: string;
  /** What every API server is told to write encrypted. */
  readonly encrypted: readonly string[];
  /** What every API server is told to read both ways: all that ever was to be encrypted. */
  readonly readable: readonly string[];
  /** What of it each of them is known to read. */
  readonly everywhere: readonly string[];
  /** Another one with each time that they may be told something: what is noted once all of them were. */
  readonly told: string;
  /** The file of `--encryption-provider-config`. Secret. */
  readonly configuration: string;
  /** Changes with how it is written. */
  readonly revision: string;
}

const provider = forwarding("encryption-keys-impl");

/**
 * The keys by which API servers encrypt what they write into etcd. There are always two more than is written with, so that all
 * of them know a key already when its turn comes, also after a change that has not come to each: they can change one after
 * another, each reading what the others write. No key is ever let go of, as there are snapshots. Where API servers that know
 * of no encryption serve beside those that do, they are told how to read first, and to write by a run after one that came to
 * all of them, which {@link EncryptedData} notes. Deleting it does nothing but forget the keys.
 */
export class EncryptionKeys extends DynamicResource<EncryptionKeysInputs> {
  declare readonly keys: pulumi.Output<EncryptionKeysOutputs["keys"]>;
  declare readonly encrypted: pulumi.Output<EncryptionKeysOutputs["encrypted"]>;
  declare readonly readable: pulumi.Output<EncryptionKeysOutputs["readable"]>;
  declare readonly told: pulumi.Output<string>;
  declare readonly configuration: pulumi.Output<string>;
  declare readonly revision: pulumi.Output<string>;

  constructor(name: string, args: AsInputs<EncryptionKeysInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = {
      outputs: ["keys", "current", "encrypted", "readable", "everywhere", "told", "configuration", "revision"],
      secretInputs: ["further", "karmadaKubeconfig"],
      secretOutputs: ["keys", "configuration"],
    };
    super(provider, { module: "kube", type: "EncryptionKeys", ...type }, name, args, opts);
  }
}
