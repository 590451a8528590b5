import type { Deadline } from "../wait.ts";
import { connectAlone, type KubeClient } from "./client.ts";
import type { Encrypter } from "./encryption.ts";
import { retryTransient } from "./retry-transient.ts";

/** On kube-system of a plane: the encryption settings that all of its API servers last received. */
const note = "karmada-pulumi/encryption-told";

/** Also there: what was encrypted with them. */
const inEtcd = "karmada-pulumi/encrypted";

/** Also there: what encrypted it. @default keys of API servers, as noted by older releases */
const encrypters = "karmada-pulumi/encrypted-by";

const path = "/api/v1/namespaces/kube-system";

/** What is encrypted in an etcd. */
export interface Encrypted {
  readonly resources: readonly string[];
  readonly by: readonly Encrypter[];
}

/**
 * Notes what every API server has been told by now. Unlike the state, this survives an interrupted run. They have only
 * just started with it, so that one that does not answer is asked again until the deadline.
 */
export async function noteTold(
  plane: KubeClient,
  told: string,
  { resources, by }: Encrypted,
  deadline: Deadline,
): Promise<void> {
  const list = (words: readonly string[]) => (words.length > 0 ? words.join(" ") : null);
  const annotations = { [note]: told, [inEtcd]: list(resources), [encrypters]: list(by) };
  await retryTransient("what API servers were told of encryption to be noted", deadline, () =>
    plane.merge(path, { metadata: { annotations } }),
  );
}

/** Whether that is what each of them has been told; false for a plane that does not answer. */
export async function isToldToAll(kubeconfig: string, told: string): Promise<boolean> {
  return (await noted(kubeconfig))[note] === told;
}

/** What is encrypted in the etcd of a plane, as last noted; none for a plane that does not answer. */
export async function encryptedIn(kubeconfig: string): Promise<Encrypted> {
  const { [inEtcd]: resources, [encrypters]: by } = await noted(kubeconfig);
  if (resources === undefined) return { resources: [], by: [] };
  return { resources: resources.split(" "), by: (by?.split(" ") as Encrypter[] | undefined) ?? ["secretbox"] };
}

async function noted(kubeconfig: string): Promise<Readonly<Partial<Record<string, string>>>> {
  const plane = await connectAlone(kubeconfig);
  try {
    const { metadata } = await plane.get(path, { timeout: 5000 });
    return metadata?.annotations ?? {};
  } catch {
    return {};
  } finally {
    plane.close();
  }
}
