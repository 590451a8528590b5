import type * as pulumi from "@pulumi/pulumi";
import type { Encrypter, EncryptionKey } from "../lib/kube/encryption.ts";
import type { KmsPlugin } from "../spec/control-plane/encryption-kms.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface EncryptionKeysInputs {
  /** Whether to write encrypted and by what, or in clear again. */
  readonly provider: "secretbox" | "kms" | "identity";
  /** The plugin that encrypts, with `kms`. */
  readonly kms?: KmsPlugin;
  /** With their groups. */
  readonly resources: readonly string[];
  /**
   * A new value makes another key, and switches writing to the key after the present one; with `kms` everything is just
   * written anew. @default ""
   */
  readonly rotate: string;
  /** Further keys to read with. Secret. */
  readonly further: readonly EncryptionKey[];
  /** Whether API servers with old and new settings serve at the same time during a change. */
  readonly overlapping: boolean;
  /** Kubeconfig of a Karmada administrator. */
  readonly karmadaKubeconfig: string;
}

export interface EncryptionKeysOutputs {
  /** All there ever were, and those still to be used, in order of use; none until `secretbox` is wanted. Secret. */
  readonly keys: readonly EncryptionKey[];
  /** The name of the one that is written with; absent as long as there are none. */
  readonly current?: string;
  /** Plugins that every API server is told to read with: the wanted one, and former ones as long as they are needed. */
  readonly plugins: readonly KmsPlugin[];
  /** What encrypts, by resource, as every API server is told. Absent in the state of older releases: it is `secretbox`. */
  readonly encrypters: Readonly<Record<string, Encrypter>>;
  /** The resources of these, in the order in which they are declared. */
  readonly encrypted: readonly string[];
  /** Resources that every API server is told to read both ways: all that were ever to be encrypted. */
  readonly readable: readonly string[];
  /** Those of them that each is known to be able to read as `encrypter` writes them. */
  readonly everywhere: readonly string[];
  /** What was last wanted to encrypt. Absent like `encrypters`. */
  readonly encrypter: Encrypter;
  /** Changes whenever they may be told something: noted once all of them were. */
  readonly told: string;
  /** The file of `--encryption-provider-config`. Secret. */
  readonly configuration: string;
  /** Changes with how it is written. */
  readonly revision: string;
}

const provider = forwarding("encryption-keys-impl");

/**
 * The keys with which API servers encrypt what they write into etcd. There are always two ahead of the one in use, so
 * that all of them know a key before it is used, even after a change that did not reach every one: they can be changed
 * one after another, each reading what the others write. No key is ever dropped, because of snapshots. If API servers
 * without encryption serve beside those with it, they are first told to read, and to write only in a run after one that
 * reached all of them, which {@link EncryptedData} notes. So it is with another way to encrypt as well: it is read first,
 * then written. A former plugin of a key service is dropped in a run after the one that has written everything anew.
 * Deleting it does nothing but forget the keys.
 */
export class EncryptionKeys extends DynamicResource<EncryptionKeysInputs> {
  declare readonly keys: pulumi.Output<EncryptionKeysOutputs["keys"]>;
  declare readonly plugins: pulumi.Output<EncryptionKeysOutputs["plugins"] | undefined>;
  declare readonly encrypters: pulumi.Output<EncryptionKeysOutputs["encrypters"] | undefined>;
  declare readonly encrypted: pulumi.Output<EncryptionKeysOutputs["encrypted"]>;
  declare readonly readable: pulumi.Output<EncryptionKeysOutputs["readable"]>;
  declare readonly told: pulumi.Output<string>;
  declare readonly configuration: pulumi.Output<string>;
  declare readonly revision: pulumi.Output<string>;

  constructor(name: string, args: AsInputs<EncryptionKeysInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = {
      outputs: [
        "keys",
        "current",
        "plugins",
        "encrypters",
        "encrypted",
        "readable",
        "everywhere",
        "encrypter",
        "told",
        "configuration",
        "revision",
      ],
      secretInputs: ["further", "karmadaKubeconfig"],
      secretOutputs: ["keys", "configuration"],
    };
    super(provider, { module: "kube", type: "EncryptionKeys", ...type }, name, args, opts);
  }
}
