import { connectAlone, type KubeClient } from "./client.ts";

/** On kube-system of a plane: what all of its API servers were told of encryption last. */
const note = "karmada-pulumi/encryption-told";

const path = "/api/v1/namespaces/kube-system";

/** Notes what each API server has been told by now: it outlives a run that is cut off, of which the state says less. */
export async function noteTold(plane: KubeClient, told: string): Promise<void> {
  await plane.merge(path, { metadata: { annotations: { [note]: told } } });
}

/** Whether that is what each of them has been told; nobody knows it of a plane that does not answer. */
export async function isToldToAll(kubeconfig: string, told: string): Promise<boolean> {
  const plane = await connectAlone(kubeconfig);
  try {
    const { metadata } = await plane.get(path, { timeout: 5000 });
    return metadata?.annotations?.[note] === told;
  } catch {
    return false;
  } finally {
    plane.close();
  }
}
