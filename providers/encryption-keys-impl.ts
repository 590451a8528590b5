import { isDeepStrictEqual } from "node:util";
import { connectAlone } from "../lib/kube/client.ts";
import { encryptionConfiguration, type EncryptionKey, newKey } from "../lib/kube/encryption.ts";
import { isTransient, KubeError } from "../lib/kube/error.ts";
import { sha256 } from "../lib/supervisor/atomic-file.ts";
import type { EncryptionKeysInputs, EncryptionKeysOutputs } from "./encryption-keys.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

/** Keys that are known before their turn comes: one for the next change, and one for a change after one that was cut off. */
const ahead = 2;

export const provider = implement<EncryptionKeysInputs, EncryptionKeysOutputs>({
  inputs: {
    provider: "update",
    resources: "update",
    rotate: "update",
    further: "update",
    overlapping: "ignore",
    karmadaKubeconfig: "ignore",
  },
  id: () => "encryption-keys",
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig"]),
  diff: ({ encrypted, ...inputs }) => ({
    changes: encrypted !== undefined && wantedOf(inputs).some((each) => !encrypted.includes(each)),
  }),
  async create(inputs) {
    const readsThem = !inputs.overlapping || !(await serves(inputs.karmadaKubeconfig));
    return outputsOf(inputs, withNew([], 0), {}, readsThem);
  },
  update(inputs, before) {
    const now = turnsOf(before);
    const turns = inputs.rotate === before.rotate ? now : withNew(now.keys, now.at + 1);
    return Promise.resolve(outputsOf(inputs, turns, before, !inputs.overlapping));
  },
  delete: () => Promise.resolve(),
});

const wantedOf = ({ provider, resources }: Pick<EncryptionKeysInputs, "provider" | "resources">) =>
  provider === "secretbox" ? resources : [];

/** All keys in the order of their turns, and which of them is written with. */
interface Turns {
  readonly keys: readonly EncryptionKey[];
  readonly at: number;
}

const withNew = (keys: readonly EncryptionKey[], at: number): Turns => ({
  keys: [...keys, ...Array.from({ length: at + 1 + ahead - keys.length }, newKey)],
  at,
});

/** State of before there was `current` has one key ahead. */
function turnsOf({ keys = [], current }: Partial<EncryptionKeysOutputs>): Turns {
  const at = current === undefined ? keys.length - 2 : keys.findIndex(({ name }) => name === current);
  return { keys, at };
}

/**
 * @param before what API servers of before were told
 * @param readsAll whether none of before can come upon what it does not know
 */
function outputsOf(
  inputs: EncryptionKeysInputs,
  { keys, at }: Turns,
  before: Partial<EncryptionKeysOutputs>,
  readsAll: boolean,
): EncryptionKeysOutputs {
  const { readable = [] } = before;
  const encrypted = wantedOf(inputs).filter((resource) => readsAll || readable.includes(resource));
  const all = [...new Set([...readable, ...inputs.resources])];
  const configuration = encryptionConfiguration({
    keys: [...keys.slice(at), ...keys.slice(0, at).toReversed(), ...inputs.further],
    encrypted,
    clear: all.filter((resource) => !encrypted.includes(resource)),
  });
  const current = keys[at]!.name;
  const revision = revisionOf(current, encrypted, before);
  return { keys, current, encrypted, readable: all, configuration, revision };
}

/** A change that is taken back is another one: what was written meanwhile is to be written anew. */
function revisionOf(current: string, encrypted: readonly string[], before: Partial<EncryptionKeysOutputs>): string {
  const { keys, at } = turnsOf(before);
  const { encrypted: then, revision = "" } = before;
  const [was, is] = [
    [keys[at]?.name, then],
    [current, encrypted],
  ];
  return isDeepStrictEqual(was, is) ? revision : sha256(JSON.stringify([revision, ...is])).slice(0, 16);
}

/** Whether API servers are there that would come upon what others write. */
async function serves(kubeconfig: string): Promise<boolean> {
  const plane = await connectAlone(kubeconfig);
  try {
    await plane.get("/version", { timeout: 5000 });
    return true;
  } catch (error) {
    // One that says no is there, and so is one that has a certificate of before.
    return error instanceof KubeError || !isTransient(error);
  } finally {
    plane.close();
  }
}
