import type { Encrypted } from "../../lib/kube/encryption-note.ts";
import type { EncryptionKeysInputs } from "../encryption-keys.ts";
import { encrypterOf } from "./encrypters.ts";

/**
 * Refuses first keys beside data that are encrypted already. If a replacement is forced (`up --replace`, `state taint`),
 * or the state has lost the keys, nobody could read these data any more, not even the API server. What a key service has
 * encrypted is read by its plugin, whatever the state has lost.
 *
 * @param noted what is encrypted in etcd
 */
export function refuseLostKeys(inputs: EncryptionKeysInputs, { resources, by }: Encrypted): void {
  const own = encrypterOf(inputs);
  const lost = by.filter((each) => (each === "secretbox" ? inputs.further.length === 0 : each !== own));
  if (lost.length === 0) return;
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
