import { isDeepStrictEqual } from "node:util";
import { sha256 } from "../../lib/sha256.ts";
import type { EncryptionKeysInputs, EncryptionKeysOutputs } from "../encryption-keys.ts";
import { encryptersOf } from "./encrypters.ts";
import { currentOf, turnsOf } from "./turns.ts";

/**
 * Changes with how the data are written, so that they are then rewritten. Reverting a change is a change too: what was
 * written meanwhile has to be rewritten.
 */
export function revisionAfter(
  { provider, rotate }: EncryptionKeysInputs,
  now: Pick<EncryptionKeysOutputs, "encrypters"> & { readonly current: string | undefined },
  before: Partial<EncryptionKeysInputs & EncryptionKeysOutputs>,
): string {
  const { revision } = before;
  const was = writtenWith(encryptersOf(before), currentOf(turnsOf(before)));
  const is = writtenWith(now.encrypters, now.current);
  const hasOtherKey = provider === "kms" && rotate !== before.rotate;
  if (revision !== undefined && isDeepStrictEqual(was, is) && !hasOtherKey) return revision;
  return sha256(JSON.stringify([revision ?? "", is, rotate])).slice(0, 16);
}

/** By what each resource is written, keys by their names. */
const writtenWith = (encrypters: EncryptionKeysOutputs["encrypters"], current: string | undefined) =>
  Object.fromEntries(Object.entries(encrypters).map(([resource, by]) => [resource, by === "secretbox" ? current : by]));
