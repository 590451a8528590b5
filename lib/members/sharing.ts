/**
 * Control planes that have the same cluster under the same name share one account there. Each notes itself on it, so
 * that none takes away the others' credentials.
 */
import { fieldManager, type KubeClient, type KubeObject } from "../kube/client.ts";
import { clusterNamespace, paths, serviceAccountOf } from "./names.ts";

/** Followed by the UID of a plane's kube-system: that plane uses this account. */
const prefix = "karmada-pulumi/plane-";

/** In place of the UID of a plane that does not note itself, such as one to which karmadactl joined the cluster. */
export const unknownPlane = "unknown";

/**
 * Notes that an account which exists before a cluster first joins, and which we never wrote, belongs to another plane
 * that does not note itself.
 */
export async function noteFound(member: KubeClient, cluster: string): Promise<void> {
  const path = paths.serviceAccount(serviceAccountOf(cluster));
  const account = await member.find(path);
  if (account === undefined || others(account, undefined).length > 0) return;
  if (account.metadata?.managedFields?.some(({ manager }) => manager === fieldManager)) return;
  await member.merge(path, { metadata: { annotations: { [prefix + unknownPlane]: "found" } } });
}

/** Notes that a plane uses the account that it has for a cluster. @returns UIDs of the others that do */
export async function notePlane(member: KubeClient, cluster: string, plane: string): Promise<string[]> {
  const path = paths.serviceAccount(serviceAccountOf(cluster));
  return others(await member.merge(path, { metadata: { annotations: { [prefix + plane]: "joined" } } }), plane);
}

/**
 * Removes that note.
 * @param plane undefined when it is no longer known
 * @returns UIDs of the others that use the account
 */
export async function forgetPlane(member: KubeClient, cluster: string, plane: string | undefined): Promise<string[]> {
  const path = paths.serviceAccount(serviceAccountOf(cluster));
  const account = await member.find(path);
  if (plane !== undefined && account?.metadata?.annotations?.[prefix + plane] !== undefined)
    await member.merge(path, { metadata: { annotations: { [prefix + plane]: null } } });
  return others(account, plane);
}

/** UIDs of all planes that have noted themselves. */
export const planesOf = async (member: KubeClient, cluster: string): Promise<string[]> =>
  others(await member.find(paths.serviceAccount(serviceAccountOf(cluster))), undefined);

/** Who shares the account, and how to end that if one of them is gone. */
export function sharedWith(cluster: string, planes: readonly string[]): string {
  const notes = planes.map((plane) => `${prefix}${plane}-`).join(" ");
  const uids = planes.filter((plane) => plane !== unknownPlane);
  const who = [
    ...(uids.length > 0 ? [`kube-system UID ${uids.join(", ")}`] : []),
    ...(planes.includes(unknownPlane) ? ["one whose account was there before, as karmadactl join makes it"] : []),
  ];
  return (
    `another control plane has joined this cluster under the same name (${who.join("; ")}); if it is no more, ` +
    `kubectl annotate -n ${clusterNamespace} serviceaccount ${serviceAccountOf(cluster)} ${notes}`
  );
}

const others = (account: KubeObject | undefined, plane: string | undefined): string[] =>
  Object.keys(account?.metadata?.annotations ?? {})
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((uid) => uid !== plane);
