import { connectAlone, type KubeClient } from "./client.ts";

/** On kube-system of a plane: what all of its API servers were told of encryption last. */
const note = "karmada-pulumi/encryption-told";

/** On the same: what of it was encrypted then. */
const inEtcd = "karmada-pulumi/encrypted";

const path = "/api/v1/namespaces/kube-system";

/** Notes what each API server has been told by now: it outlives a run that is cut off, of which the state says less. */
export async function noteTold(plane: KubeClient, told: string, encrypted: readonly string[]): Promise<void> {
  const annotations = { [note]: told, [inEtcd]: encrypted.length > 0 ? encrypted.join(" ") : null };
  await plane.merge(path, { metadata: { annotations } });
}

/** Whether that is what each of them has been told; nobody knows it of a plane that does not answer. */
export async function isToldToAll(kubeconfig: string, told: string): Promise<boolean> {
  return (await noted(kubeconfig))[note] === told;
}

/** What is encrypted in the etcd of a plane, as it was noted last; none of one that does not answer. */
export async function encryptedIn(kubeconfig: string): Promise<readonly string[]> {
  return (await noted(kubeconfig))[inEtcd]?.split(" ") ?? [];
}

async function noted(kubeconfig: string): Promise<Readonly<Record<string, string>>> {
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
