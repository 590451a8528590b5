import { randomBytes } from "node:crypto";
import { stringify } from "yaml";
import type { KmsPlugin } from "../../spec/control-plane/encryption-kms.ts";
import { sha256 } from "../sha256.ts";

/** A key of `secretbox` (XSalsa20 with Poly1305). */
export interface EncryptionKey {
  readonly name: string;
  /** 32 bytes as base64. */
  readonly secret: string;
}

/** A new key with a unique name: encrypted data name the key they are encrypted with. */
export function newKey(): EncryptionKey {
  const bytes = randomBytes(32);
  const name = `key-${sha256(bytes).slice(0, 10)}`;
  return { name, secret: bytes.toString("base64") };
}

/** What encrypts: keys that API servers have, or the plugin of a key service by its name. */
export type Encrypter = "secretbox" | `kms:${string}`;

/** A plugin as an {@link Encrypter}. */
export const kmsEncrypter = ({ name }: Pick<KmsPlugin, "name">): Encrypter => `kms:${name}`;

/** The encryption settings of an API server. */
export interface EncryptionSettings {
  /** All keys it has to know, the one it writes with first; none where only a key service encrypts. */
  readonly keys: readonly EncryptionKey[];
  /** Plugins of key services it has to know. */
  readonly kms: readonly KmsPlugin[];
  /** Resources it writes encrypted, each with what encrypts it. */
  readonly encrypted: readonly (readonly [resource: string, by: Encrypter])[];
  /** Resources it writes in clear. */
  readonly clear: readonly string[];
}

/**
 * The file of `--encryption-provider-config`. The first provider of a resource is used for writing, all of them for
 * reading. A name of a KMS provider may be there only once, so each resource has its own ({@link nameFor}).
 */
export function encryptionConfiguration({ keys, kms, encrypted, clear }: EncryptionSettings): string {
  const providersOf = (resource: string, writer: Encrypter | undefined): object[] => {
    const all: (readonly [of: Encrypter | undefined, provider: object])[] = [
      ...kms.map((plugin) => [kmsEncrypter(plugin), kmsProvider(plugin, resource)] as const),
      ...(keys.length > 0 ? [["secretbox", { secretbox: { keys } }] as const] : []),
      [undefined, { identity: {} }],
    ];
    const isFirst = (of: Encrypter | undefined) => Number(of === writer);
    return all.toSorted(([a], [b]) => isFirst(b) - isFirst(a)).map(([, provider]) => provider);
  };
  const sets = [...encrypted, ...clear.map((resource) => [resource, undefined] as const)].map(([resource, writer]) => ({
    resources: [resource],
    providers: providersOf(resource, writer),
  }));
  return stringify(
    { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources: joined(sets) },
    { aliasDuplicateObjects: false },
  );
}

const kmsProvider = (plugin: KmsPlugin, resource: string) => ({
  kms: { apiVersion: "v2", name: nameFor(plugin, resource), endpoint: plugin.endpoint, timeout: plugin.timeout },
});

/** What the data of a resource are marked with that a plugin has encrypted: `vault.secrets`. */
const nameFor = ({ name }: KmsPlugin, resource: string): string => `${name}.${resource}`;

interface ResourceSet {
  readonly resources: readonly string[];
  readonly providers: readonly object[];
}

/** One set for all resources that have the same providers. */
function joined(sets: readonly ResourceSet[]): ResourceSet[] {
  const same = Map.groupBy(sets, ({ providers }) => JSON.stringify(providers));
  return [...same.values()].map((each) => ({
    resources: each.flatMap(({ resources }) => resources),
    providers: each[0]!.providers,
  }));
}
