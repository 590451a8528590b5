import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { encryptionConfiguration, type EncryptionKey, newKey } from "../lib/kube/encryption.ts";
import { encryptedIn, isToldToAll } from "../lib/kube/encryption-note.ts";
import { serves } from "../lib/kube/serves.ts";
import { sha256 } from "../lib/sha256.ts";
import type { EncryptionKeysInputs, EncryptionKeysOutputs } from "./encryption-keys.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

/** Keys made known before they are used: one for the next change, and one for a change after an interrupted one. */
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
  // 2: it records what was told to whom.
  schemaVersion: 2,
  id: () => "encryption-keys",
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig"]),
  diff: ({ encrypted, ...inputs }) => ({
    changes: encrypted !== undefined && wantedOf(inputs).some((each) => !encrypted.includes(each)),
  }),
  async create(inputs) {
    await refuseOthers(inputs);
    // One with an old certificate encounters what others write too.
    const readAll = !inputs.overlapping || (await serves(inputs.karmadaKubeconfig)) === "no";
    return outputsOf(inputs, withNew([], 0), {}, readAll ? inputs.resources : []);
  },
  async update(inputs, before) {
    const now = turnsOf(before);
    const turns = inputs.rotate === before.rotate ? now : withNew(now.keys, now.at + 1);
    return outputsOf(inputs, turns, before, await readEverywhere(inputs, before));
  },
  delete: () => Promise.resolve(),
});

/**
 * The first keys are for data in clear. If a replacement is forced (`up --replace`, `state taint`), or the state has
 * lost them, nobody could read encrypted data any more, not even the API server.
 */
async function refuseOthers({ further, karmadaKubeconfig }: EncryptionKeysInputs): Promise<void> {
  const encrypted = further.length > 0 ? [] : await encryptedIn(karmadaKubeconfig);
  if (encrypted.length === 0) return;
  const resources = encrypted.join(", ");
  throw new Error(
    `encryption-keys: ${resources}: encrypted in etcd with previous keys, and new ones could not read them\n` +
      "for another key to write with set controlPlane.encryption.rotate, not --replace (`pulumi state untaint` takes a taint back); " +
      "if the state has lost the keys, name them in controlPlane.encryption.keys",
  );
}

const wantedOf = ({ provider, resources }: Pick<EncryptionKeysInputs, "provider" | "resources">) =>
  provider === "secretbox" ? resources : [];

/** All keys in order of use, and the one that is written with. */
interface Turns {
  readonly keys: readonly EncryptionKey[];
  readonly at: number;
}

const withNew = (keys: readonly EncryptionKey[], at: number): Turns => ({
  keys: [...keys, ...Array.from({ length: at + 1 + ahead - keys.length }, newKey)],
  at,
});

/** State from before `current` existed has one key ahead. */
function turnsOf({ keys = [], current }: Partial<EncryptionKeysOutputs>): Turns {
  const at = current === undefined ? keys.length - 2 : keys.findIndex(({ name }) => name === current);
  return { keys, at };
}

/**
 * What every API server can read. After an interrupted update it is unknown whether each was told: the keys are made
 * before any is, so the note made once all of them were is consulted.
 */
async function readEverywhere(
  inputs: EncryptionKeysInputs,
  { readable = [], told = "", encrypted = [], everywhere = encrypted }: Partial<EncryptionKeysOutputs>,
): Promise<readonly string[]> {
  if (!inputs.overlapping) return [...new Set([...readable, ...inputs.resources])];
  const isPending = wantedOf(inputs).some((each) => readable.includes(each) && !everywhere.includes(each));
  return isPending && (await isToldToAll(inputs.karmadaKubeconfig, told)) ? readable : everywhere;
}

/**
 * @param before what the previous API servers were told
 * @param everywhere what each of them can read, or will before another one writes it
 */
function outputsOf(
  inputs: EncryptionKeysInputs,
  { keys, at }: Turns,
  before: Partial<EncryptionKeysOutputs>,
  everywhere: readonly string[],
): EncryptionKeysOutputs {
  const { readable = [] } = before;
  const encrypted = wantedOf(inputs).filter((resource) => everywhere.includes(resource));
  const all = [...new Set([...readable, ...inputs.resources])];
  const configuration = encryptionConfiguration({
    keys: [...keys.slice(at), ...keys.slice(0, at).toReversed(), ...inputs.further],
    encrypted,
    clear: all.filter((resource) => !encrypted.includes(resource)),
  });
  const current = keys[at]!.name;
  const revision = revisionOf(current, encrypted, before);
  return { keys, current, encrypted, readable: all, everywhere, told: randomUUID(), configuration, revision };
}

/** Reverting a change is a change too: what was written meanwhile has to be rewritten. */
function revisionOf(current: string, encrypted: readonly string[], before: Partial<EncryptionKeysOutputs>): string {
  const { keys, at } = turnsOf(before);
  const { encrypted: then, revision = "" } = before;
  const [was, is] = [
    [keys[at]?.name, then],
    [current, encrypted],
  ];
  return isDeepStrictEqual(was, is) ? revision : sha256(JSON.stringify([revision, ...is])).slice(0, 16);
}
