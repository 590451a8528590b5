import { type Encrypter, kmsEncrypter } from "../../lib/kube/encryption.ts";
import type { KmsPlugin } from "../../spec/control-plane/encryption-kms.ts";
import type { EncryptionKeysInputs, EncryptionKeysOutputs } from "../encryption-keys.ts";

/** What is to encrypt; undefined if nothing is. */
export function encrypterOf({ provider, kms }: Pick<EncryptionKeysInputs, "provider" | "kms">): Encrypter | undefined {
  if (provider === "identity") return undefined;
  return provider === "kms" && kms !== undefined ? kmsEncrypter(kms) : "secretbox";
}

/** The resources that are to be encrypted. */
export const wantedOf = ({ provider, resources }: Pick<EncryptionKeysInputs, "provider" | "resources">) =>
  provider === "identity" ? [] : resources;

/** Plugins that API servers were told to read with, and that are not wanted any more. */
export const formerOf = (
  { plugins = [] }: Partial<EncryptionKeysOutputs>,
  own: Encrypter | undefined,
): readonly KmsPlugin[] => plugins.filter((plugin) => kmsEncrypter(plugin) !== own);

/** What the state tells; that of older releases has no encrypters, since there was only one. */
type Told = Partial<Pick<EncryptionKeysOutputs, "encrypters" | "encrypted">>;

/** What encrypts each resource by the last run. */
export const encryptersOf = ({ encrypters, encrypted = [] }: Told): EncryptionKeysOutputs["encrypters"] =>
  encrypters ?? Object.fromEntries(encrypted.map((resource): [string, Encrypter] => [resource, "secretbox"]));

/** Resources that are encrypted as declared: the others wait for the next run. */
export function settledOf(told: Told, own: Encrypter | undefined): readonly string[] {
  const by = encryptersOf(told);
  return Object.keys(by).filter((resource) => by[resource] === own);
}
