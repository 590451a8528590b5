import * as pulumi from "@pulumi/pulumi";
import { EncryptedData } from "../providers/encrypted-data.ts";
import { EncryptionKeys } from "../providers/encryption-keys.ts";
import { encrypterOf, settledOf } from "../providers/encryption/encrypters.ts";
import { kmsOf } from "../spec/control-plane/encryption-kms.ts";
import type { Deployment } from "../spec/deployment.ts";
import type { FileContents, Placement } from "./placement.ts";
import { encryptionFile } from "./processes/karmada-apiserver.ts";

type Settings = Deployment<pulumi.Output<string>>["controlPlane"];

/** How API servers store secrets. */
export interface Encryption {
  readonly provider: "secretbox" | "kms" | "identity";
  /** What else is declared of it: what is to be encrypted, another value for each new key, and by which key service. */
  readonly encrypting: { readonly resources: readonly string[]; readonly rotate: string; readonly kms?: string };
  /** Resources that API servers are told to encrypt so by now. */
  readonly encrypted: pulumi.Output<readonly string[]>;
  /** Changes whenever they may be told something else. */
  readonly told: pulumi.Output<string>;
  /** For each of them. */
  readonly files: FileContents;
  /**
   * All keys there ever were, in the form in which another stack takes them as further ones (`encryption.keys`).
   * Secret.
   */
  readonly keys: pulumi.Output<readonly { readonly name: string; readonly secretText: string }[]>;
  /** Rewrites existing objects once everything in `opts.dependsOn` has the new settings, and notes that it has. */
  keep(data: DataArgs, opts: pulumi.CustomResourceOptions): pulumi.Resource;
}

/** What is written anew, and by whom. */
export interface DataArgs {
  /** Kubeconfig of a Karmada administrator. */
  readonly kubeconfig: pulumi.Output<string>;
  /** Changes with each restore, which may bring back data written with other settings. @default there was none */
  readonly restored?: pulumi.Output<string> | undefined;
  /** The API servers, where they are pods. */
  readonly pods?: ReturnType<NonNullable<Placement["podOf"]>> | undefined;
}

/** What decides which keys there are, and how they come into use. */
export interface EncryptionArgs {
  readonly settings: Settings;
  /** Kubeconfig of a Karmada administrator, to ask whether API servers exist already. */
  readonly kubeconfig: pulumi.Output<string>;
  /** Whether a replica is replaced by one beside it: then even a single one overlaps with its successor. */
  readonly replacedByCopies: boolean;
}

/** Makes the keys. @returns undefined if nothing is encrypted, nor ever was */
export function createEncryption(
  name: string,
  args: EncryptionArgs,
  opts: pulumi.CustomResourceOptions,
): Encryption | undefined {
  const { encryption } = args.settings;
  const { provider, resources, rotate = "" } = encryption;
  if (provider === "none") return undefined;
  const kms = kmsOf(encryption);
  const keys = createKeys(`${name}-keys`, provider, args, opts);
  const own = encrypterOf({ provider, ...(kms !== undefined && { kms }) });
  const settled = pulumi
    .all([keys.encrypters, keys.encrypted])
    .apply(([encrypters, encrypted]) => settledOf({ ...(encrypters && { encrypters }), encrypted }, own));
  tellWhatIsPending(keys, settled, provider === "identity" ? [] : resources, kms?.name);
  return {
    provider,
    encrypting: { resources, rotate, ...(kms !== undefined && { kms: kms.name }) },
    encrypted: settled,
    told: keys.told,
    files: { [encryptionFile]: keys.configuration },
    keys: keys.keys.apply((all) => all.map(({ name, secret }) => ({ name, secretText: secret }))),
    keep: (data, opts) => writeAnew(`${name}-data`, keys, resources, data, opts),
  };
}

function createKeys(
  name: string,
  provider: Encryption["provider"],
  { settings: { encryption, "kube-apiserver": apiserver }, kubeconfig, replacedByCopies }: EncryptionArgs,
  opts: pulumi.CustomResourceOptions,
): EncryptionKeys {
  const { resources, rotate = "", keys: further } = encryption;
  const kms = kmsOf(encryption);
  return new EncryptionKeys(
    name,
    {
      provider,
      ...(kms !== undefined && { kms }),
      resources,
      rotate,
      further: pulumi.secret(further.map(({ name, secretText }) => ({ name, secret: secretText }))),
      overlapping: replacedByCopies || apiserver.replicas > 1,
      karmadaKubeconfig: kubeconfig,
    },
    opts,
  );
}

/** @param wanted resources that are to be encrypted: others that can be, as former ones, need not exist */
function writeAnew(
  name: string,
  { encrypters, encrypted, readable, revision, told }: EncryptionKeys,
  wanted: readonly string[],
  { kubeconfig: karmadaKubeconfig, restored, pods }: DataArgs,
  opts: pulumi.CustomResourceOptions,
): EncryptedData {
  return new EncryptedData(
    name,
    {
      revision: restored === undefined ? revision : pulumi.interpolate`${revision} ${restored}`,
      told,
      encrypted,
      by: encrypters.apply((all) => (all === undefined ? undefined : [...new Set(Object.values(all))])),
      resources: readable,
      wanted,
      karmadaKubeconfig,
      ...(pods !== undefined && { pods }),
      timeoutSeconds: 600,
    },
    opts,
  );
}

function tellWhatIsPending(
  keys: EncryptionKeys,
  settled: pulumi.Output<readonly string[]>,
  wanted: readonly string[],
  kms: string | undefined,
): void {
  pulumi.all([settled, keys.plugins]).apply(([settled, plugins = []]) => {
    const pending = wanted.filter((resource) => !settled.includes(resource));
    const former = plugins.map(({ name }) => name).filter((name) => name !== kms);
    const what =
      pending.length > 0
        ? `every API server can read what is encrypted; run up again, which encrypts ${pending.join(", ")}`
        : `nothing is encrypted by plugin ${former.join(", ")} any more; run up again, after which no API server asks it`;
    if (pending.length > 0 || former.length > 0)
      void pulumi.log.warn(`controlPlane.encryption: once this \`up\` has ended ${what}`, keys);
  });
}
