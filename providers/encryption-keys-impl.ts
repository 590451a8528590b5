import { randomUUID } from "node:crypto";
import { encryptedIn } from "../lib/kube/encryption-note.ts";
import { encryptionConfiguration } from "../lib/kube/encryption.ts";
import type { EncryptionKeysInputs, EncryptionKeysOutputs } from "./encryption-keys.ts";
import { encrypterOf, encryptersOf, formerOf, settledOf, wantedOf } from "./encryption/encrypters.ts";
import { type Known, knownAtFirst, knownSince } from "./encryption/known.ts";
import { refuseLostKeys } from "./encryption/lost.ts";
import { revisionAfter } from "./encryption/revision.ts";
import { currentOf, firstTurns, keysFromCurrent, nextTurns, type Turns } from "./encryption/turns.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

export const provider = implement<EncryptionKeysInputs, EncryptionKeysOutputs>({
  inputs: {
    provider: "update",
    kms: "update",
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
  diff: (state) => {
    const own = encrypterOf(state);
    const settled = settledOf(state, own);
    const isPending = state.encrypted !== undefined && wantedOf(state).some((each) => !settled.includes(each));
    return { changes: isPending || formerOf(state, own).length > 0 };
  },
  async create(inputs) {
    const noted = await encryptedIn(inputs.karmadaKubeconfig);
    refuseLostKeys(inputs, noted);
    return outputsOf(inputs, firstTurns(inputs), {}, await knownAtFirst(inputs, noted));
  },
  async update(inputs, before) {
    return outputsOf(inputs, nextTurns(inputs, before), before, await knownSince(inputs, before));
  },
  delete: () => Promise.resolve(),
});

/** @param before what the previous API servers were told */
function outputsOf(
  inputs: EncryptionKeysInputs,
  turns: Turns,
  before: Partial<EncryptionKeysInputs & EncryptionKeysOutputs>,
  { everywhere, former }: Known,
): EncryptionKeysOutputs {
  const own = encrypterOf(inputs);
  const then = encryptersOf(before);
  const encrypted = wantedOf(inputs).flatMap((resource) => {
    const encrypter = everywhere.includes(resource) ? own : then[resource];
    return encrypter === undefined ? [] : [[resource, encrypter] as const];
  });
  const encrypters = Object.fromEntries(encrypted);
  const readable = [...new Set([...(before.readable ?? []), ...inputs.resources])];
  const plugins = [...(inputs.provider === "kms" && inputs.kms !== undefined ? [inputs.kms] : []), ...former];
  const current = currentOf(turns);
  return {
    keys: turns.keys,
    ...(current !== undefined && { current }),
    plugins,
    encrypters,
    encrypted: encrypted.map(([resource]) => resource),
    readable,
    everywhere,
    encrypter: own ?? before.encrypter ?? "secretbox",
    told: randomUUID(),
    configuration: encryptionConfiguration({
      keys: [...keysFromCurrent(turns), ...inputs.further],
      kms: plugins,
      encrypted,
      clear: readable.filter((resource) => !(resource in encrypters)),
    }),
    revision: revisionAfter(inputs, { encrypters, current }, before),
  };
}
