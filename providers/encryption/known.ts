import { type Encrypted, isToldToAll } from "../../lib/kube/encryption-note.ts";
import { type Encrypter, kmsEncrypter } from "../../lib/kube/encryption.ts";
import { serves } from "../../lib/kube/serves.ts";
import type { KmsPlugin } from "../../spec/control-plane/encryption-kms.ts";
import type { EncryptionKeysInputs, EncryptionKeysOutputs } from "../encryption-keys.ts";
import { encrypterOf, encryptersOf, formerOf, settledOf, wantedOf } from "./encrypters.ts";

/** What a change of the encryption may count on. */
export interface Known {
  /** What every API server can read as it is to be encrypted, or will before another one writes it. */
  readonly everywhere: readonly string[];
  /** Former plugins that something may still be encrypted by. */
  readonly former: readonly KmsPlugin[];
}

type Before = EncryptionKeysInputs & Partial<EncryptionKeysOutputs>;

/**
 * What holds before the first keys are made.
 *
 * @param noted what is encrypted in etcd already
 */
export async function knownAtFirst(inputs: EncryptionKeysInputs, noted: Encrypted): Promise<Known> {
  const { provider, resources, overlapping, karmadaKubeconfig } = inputs;
  // One that shows an old certificate serves all the same, and encounters what others write.
  const nobodyElseReads = !overlapping || (await serves(karmadaKubeconfig)) === "no";
  const isKnown = (resource: string) => nobodyElseReads || (provider === "kms" && noted.resources.includes(resource));
  return { everywhere: resources.filter(isKnown), former: [] };
}

/**
 * What holds since the last run. After an interrupted one it is unknown whether each server was told, and whether
 * everything is written anew: so the note made once all of that was is consulted.
 */
export async function knownSince(inputs: EncryptionKeysInputs, before: Before): Promise<Known> {
  const own = encrypterOf(inputs);
  const { readable = [], told = "" } = before;
  const known = surelyReadable(own, before);
  const isPending =
    inputs.overlapping &&
    isTold(own, before) &&
    wantedOf(inputs).some((each) => readable.includes(each) && !known.includes(each));
  const former = formerOf(before, own);
  const isNoted = (isPending || former.length > 0) && (await isToldToAll(inputs.karmadaKubeconfig, told));
  const inUse = new Set(Object.values(encryptersOf(before)));
  return {
    everywhere: !inputs.overlapping
      ? [...new Set([...readable, ...inputs.resources])]
      : isPending && isNoted
        ? readable
        : known,
    former: isNoted ? former.filter((plugin) => inUse.has(kmsEncrypter(plugin))) : former,
  };
}

/** What every API server can read as this encrypts it, whether or not the last run came to its end. */
function surelyReadable(own: Encrypter | undefined, before: Before): readonly string[] {
  const { encrypter = "secretbox", encrypted = [], everywhere = encrypted } = before;
  return own === undefined || own === encrypter ? everywhere : settledOf(before, own);
}

/** Whether the last run told API servers of it. */
const isTold = (own: Encrypter | undefined, { keys = [], plugins = [] }: Before): boolean =>
  own === "secretbox" ? keys.length > 0 : plugins.some((plugin) => kmsEncrypter(plugin) === own);
