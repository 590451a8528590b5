import { type EncryptionKey, newKey } from "../../lib/kube/encryption.ts";
import type { EncryptionKeysInputs, EncryptionKeysOutputs } from "../encryption-keys.ts";

/** Keys made known before they are used: one for the next change, and one for a change after an interrupted one. */
const ahead = 2;

/** All keys in order of use, and the one that is written with. */
export interface Turns {
  readonly keys: readonly EncryptionKey[];
  readonly at: number;
}

/** The keys of a deployment that has none yet; a key service has its own. */
export const firstTurns = ({ provider }: Pick<EncryptionKeysInputs, "provider">): Turns =>
  provider === "kms" ? noTurns : withNew([], 0);

/** The keys after a change: others only for `secretbox`, as its first ones or where another one is wanted. */
export function nextTurns(
  { provider, rotate }: Pick<EncryptionKeysInputs, "provider" | "rotate">,
  before: Pick<EncryptionKeysInputs, "rotate"> & Partial<EncryptionKeysOutputs>,
): Turns {
  const now = turnsOf(before);
  if (now.keys.length === 0) return provider === "secretbox" ? firstTurns({ provider }) : now;
  return provider === "kms" || rotate === before.rotate ? now : withNew(now.keys, now.at + 1);
}

/** The name of the key that is written with; undefined if there is none. */
export const currentOf = ({ keys, at }: Turns): string | undefined => keys[at]?.name;

/** All keys as API servers are to have them: the one to write with, those after it, then former ones from the latest on. */
export const keysFromCurrent = ({ keys, at }: Turns): readonly EncryptionKey[] => [
  ...keys.slice(at),
  ...keys.slice(0, at).toReversed(),
];

/** State from before `current` existed has one key ahead. */
export function turnsOf({ keys = [], current }: Partial<EncryptionKeysOutputs>): Turns {
  if (keys.length === 0) return noTurns;
  const at = current === undefined ? keys.length - 2 : keys.findIndex(({ name }) => name === current);
  return { keys, at };
}

const noTurns: Turns = { keys: [], at: 0 };

const withNew = (keys: readonly EncryptionKey[], at: number): Turns => ({
  keys: [...keys, ...Array.from({ length: at + 1 + ahead - keys.length }, newKey)],
  at,
});
