import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Encrypter, encryptionConfiguration, kmsEncrypter } from "../lib/kube/encryption.ts";
import { type Encrypted, encryptedIn, isToldToAll } from "../lib/kube/encryption-note.ts";
import { serves } from "../lib/kube/serves.ts";
import { sha256 } from "../lib/sha256.ts";
import type { KmsPlugin } from "../spec/encryption-kms.ts";
import type { EncryptionKeysInputs, EncryptionKeysOutputs } from "./encryption-keys.ts";
import { encrypterOf, encryptersOf, settledOf } from "./encrypters.ts";
import { currentOf, firstTurns, nextTurns, type Turns, turnsOf } from "./encryption-turns.ts";
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
    refuseOthers(inputs, noted);
    // One with an old certificate encounters what others write too.
    const readAll = !inputs.overlapping || (await serves(inputs.karmadaKubeconfig)) === "no";
    const isKnown = (resource: string) => readAll || (inputs.provider === "kms" && noted.resources.includes(resource));
    return outputsOf(inputs, firstTurns(inputs), {}, { everywhere: inputs.resources.filter(isKnown), former: [] });
  },
  async update(inputs, before) {
    return outputsOf(inputs, nextTurns(inputs, before), before, await afterLast(inputs, before));
  },
  delete: () => Promise.resolve(),
});

/**
 * The first keys are for data in clear. If a replacement is forced (`up --replace`, `state taint`), or the state has
 * lost them, nobody could read encrypted data any more, not even the API server. What a key service has encrypted is
 * read by its plugin, whatever the state has lost.
 */
function refuseOthers(inputs: EncryptionKeysInputs, { resources, by }: Encrypted): void {
  const own = encrypterOf(inputs);
  const lost = by.filter((each) => (each === "secretbox" ? inputs.further.length === 0 : each !== own));
  const [first] = lost;
  if (first === undefined) return;
  const what = `encryption-keys: ${resources.join(", ")}: encrypted in etcd`;
  const [plugin] = lost.filter((each) => each !== "secretbox").map((each) => each.slice("kms:".length));
  if (plugin !== undefined)
    throw new Error(
      `${what} by the key service's plugin "${plugin}", and nothing else could read them\n` +
        `set controlPlane.encryption to provider: kms, name: ${plugin} first`,
    );
  throw new Error(
    `${what} with previous keys, and new ones could not read them\n` +
      "for another key to write with set controlPlane.encryption.rotate, not --replace (`pulumi state untaint` takes a taint back); " +
      "if the state has lost the keys, name them in controlPlane.encryption.keys",
  );
}

type Before = EncryptionKeysInputs & Partial<EncryptionKeysOutputs>;

const wantedOf = ({ provider, resources }: Pick<EncryptionKeysInputs, "provider" | "resources">) =>
  provider === "identity" ? [] : resources;

/** Plugins that API servers were told to read with, and that are not wanted any more. */
const formerOf = ({ plugins = [] }: Partial<EncryptionKeysOutputs>, own: Encrypter | undefined): readonly KmsPlugin[] =>
  plugins.filter((plugin) => kmsEncrypter(plugin) !== own);

/** What a change may count on. */
interface Known {
  /** What every API server can read as it is to be encrypted, or will before another one writes it. */
  readonly everywhere: readonly string[];
  /** Former plugins that something may still be encrypted by. */
  readonly former: readonly KmsPlugin[];
}

/**
 * What holds since the last run. After an interrupted one it is unknown whether each server was told, and whether
 * everything is written anew: so the note made once all of that was is consulted.
 */
async function afterLast(inputs: EncryptionKeysInputs, before: Before): Promise<Known> {
  const own = encrypterOf(inputs);
  const { readable = [], told = "" } = before;
  const known = knownBefore(own, before);
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

/** What surely every API server can read as this encrypts it, whether or not the last run came to its end. */
function knownBefore(own: Encrypter | undefined, before: Before): readonly string[] {
  const { encrypter = "secretbox", encrypted = [], everywhere = encrypted } = before;
  if (own === undefined || own === encrypter) return everywhere;
  return Object.entries(encryptersOf(before)).flatMap(([resource, by]) => (by === own ? [resource] : []));
}

/** Whether the last run told API servers of it. */
const isTold = (own: Encrypter | undefined, { keys = [], plugins = [] }: Before): boolean =>
  own === "secretbox" ? keys.length > 0 : plugins.some((plugin) => kmsEncrypter(plugin) === own);

/** @param before what the previous API servers were told */
function outputsOf(
  inputs: EncryptionKeysInputs,
  turns: Turns,
  before: Partial<Before>,
  { everywhere, former }: Known,
): EncryptionKeysOutputs {
  const own = encrypterOf(inputs);
  const wanted = wantedOf(inputs);
  const then = encryptersOf(before);
  const by = (resource: string) => (everywhere.includes(resource) ? own : then[resource]);
  const encrypted = wanted.flatMap((resource) => {
    const encrypter = by(resource);
    return encrypter === undefined ? [] : [[resource, encrypter] as const];
  });
  const encrypters = Object.fromEntries(encrypted);
  const readable = [...new Set([...(before.readable ?? []), ...inputs.resources])];
  const plugins = [...(inputs.provider === "kms" && inputs.kms !== undefined ? [inputs.kms] : []), ...former];
  const { keys, at } = turns;
  const configuration = encryptionConfiguration({
    keys: [...keys.slice(at), ...keys.slice(0, at).toReversed(), ...inputs.further],
    kms: plugins,
    encrypted,
    clear: readable.filter((resource) => !(resource in encrypters)),
  });
  const current = currentOf(turns);
  return {
    ...{ keys, ...(current !== undefined && { current }), plugins, encrypters },
    encrypted: encrypted.map(([resource]) => resource),
    ...{ readable, everywhere, encrypter: own ?? before.encrypter ?? "secretbox" },
    ...{ told: randomUUID(), configuration, revision: revisionOf(inputs, { encrypters, current }, before) },
  };
}

/** Reverting a change is a change too: what was written meanwhile has to be rewritten. */
function revisionOf(
  { provider, rotate }: EncryptionKeysInputs,
  now: Pick<EncryptionKeysOutputs, "encrypters"> & { readonly current: string | undefined },
  before: Partial<Before>,
): string {
  const { revision } = before;
  const [was, is] = [
    writtenWith(encryptersOf(before), currentOf(turnsOf(before))),
    writtenWith(now.encrypters, now.current),
  ];
  const hasOtherKey = provider === "kms" && rotate !== before.rotate;
  if (revision !== undefined && isDeepStrictEqual(was, is) && !hasOtherKey) return revision;
  return sha256(JSON.stringify([revision ?? "", is, rotate])).slice(0, 16);
}

/** By what each resource is written, keys by their names. */
const writtenWith = (encrypters: EncryptionKeysOutputs["encrypters"], current: string | undefined) =>
  Object.fromEntries(Object.entries(encrypters).map(([resource, by]) => [resource, by === "secretbox" ? current : by]));
