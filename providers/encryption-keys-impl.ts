import { isDeepStrictEqual } from "node:util";
import { connectAlone } from "../lib/kube/client.ts";
import { encryptionConfiguration, type EncryptionKey, newKey } from "../lib/kube/encryption.ts";
import { isTransient, KubeError } from "../lib/kube/error.ts";
import { sha256 } from "../lib/supervisor/atomic-file.ts";
import type { EncryptionKeysInputs, EncryptionKeysOutputs } from "./encryption-keys.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

type Keys = EncryptionKeysOutputs["keys"];

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
    return outputsOf(inputs, [newKey(), newKey()], {}, readsThem);
  },
  update(inputs, before) {
    const { keys = [], rotate } = before;
    const all = inputs.rotate === rotate ? keys : [...keys, newKey()];
    return Promise.resolve(outputsOf(inputs, all, before, !inputs.overlapping));
  },
  delete: () => Promise.resolve(),
});

const wantedOf = ({ provider, resources }: Pick<EncryptionKeysInputs, "provider" | "resources">) =>
  provider === "secretbox" ? resources : [];

/**
 * @param before what API servers of before were told
 * @param readsAll whether none of before can come upon what it does not know
 */
function outputsOf(
  inputs: EncryptionKeysInputs,
  keys: Keys,
  before: Partial<EncryptionKeysOutputs>,
  readsAll: boolean,
): EncryptionKeysOutputs {
  const { readable = [] } = before;
  const encrypted = wantedOf(inputs).filter((resource) => readsAll || readable.includes(resource));
  const all = [...new Set([...readable, ...inputs.resources])];
  const [next, current, ...former] = keys.toReversed() as [EncryptionKey, EncryptionKey, ...EncryptionKey[]];
  const configuration = encryptionConfiguration({
    keys: [current, next, ...former, ...inputs.further],
    encrypted,
    clear: all.filter((resource) => !encrypted.includes(resource)),
  });
  return { keys, encrypted, readable: all, configuration, revision: revisionOf(current, encrypted, before) };
}

/** A change that is taken back is another one: what was written meanwhile is to be written anew. */
function revisionOf(
  current: EncryptionKey,
  encrypted: readonly string[],
  { keys = [], encrypted: then, revision = "" }: Partial<EncryptionKeysOutputs>,
): string {
  const [was, is] = [
    [keys.at(-2)?.name, then],
    [current.name, encrypted],
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
