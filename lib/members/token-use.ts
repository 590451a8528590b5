import type { KubeClient } from "../kube/client.ts";
import { paths, tokenMade } from "./names.ts";

/** On the Secret that the plane has: when the token was made that its programs are known to use, RFC 3339. */
const tokenUsed = "karmada-pulumi/token-used";

/** When the token was made that a plane has for a member; undefined when it has none. */
export async function given(plane: KubeClient, cluster: string): Promise<string | undefined> {
  const secret = await plane.find(paths.secret(cluster));
  return secret?.metadata?.annotations?.[tokenMade];
}

/** Notes that all programs of a plane use the token that was made then. */
export async function noteUse(plane: KubeClient, cluster: string, since: string): Promise<void> {
  await plane.merge(paths.secret(cluster), { metadata: { annotations: { [tokenUsed]: since } } });
}

/** When the token was made that the plane has and all its programs use; undefined while that is not known. */
export async function used(plane: KubeClient, cluster: string, timeout: number): Promise<string | undefined> {
  const secret = await plane.find(paths.secret(cluster), { timeout });
  const { [tokenMade]: made, [tokenUsed]: noted } = secret?.metadata?.annotations ?? {};
  return made === noted ? noted : undefined;
}
