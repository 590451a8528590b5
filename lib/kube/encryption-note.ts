import { connectAlone, type KubeClient } from "./client.ts";

/** On kube-system of a plane: the encryption settings that all of its API servers last received. */
const note = "karmada-pulumi/encryption-told";

/** Also there: what was encrypted with them. */
const inEtcd = "karmada-pulumi/encrypted";

const path = "/api/v1/namespaces/kube-system";

/** Notes what every API server has been told by now. Unlike the state, this survives an interrupted run. */
export async function noteTold(plane: KubeClient, told: string, encrypted: readonly string[]): Promise<void> {
  const annotations = { [note]: told, [inEtcd]: encrypted.length > 0 ? encrypted.join(" ") : null };
  await plane.merge(path, { metadata: { annotations } });
}

/** Whether that is what each of them has been told; false for a plane that does not answer. */
export async function isToldToAll(kubeconfig: string, told: string): Promise<boolean> {
  return (await noted(kubeconfig))[note] === told;
}

/** What is encrypted in the etcd of a plane, as last noted; none for a plane that does not answer. */
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
