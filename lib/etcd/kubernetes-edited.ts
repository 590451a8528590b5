import { isDeepStrictEqual } from "node:util";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isTransient } from "../kube/error.ts";
import { type Container, labels, type PreparedMember } from "./kubernetes-member.ts";

/** Whether a member's StatefulSet has another image or other arguments than those it was started with, as prepared. */
export function isOtherwise(set: KubeObject, { revision, template }: PreparedMember): boolean {
  const started = set["spec"]?.template as KubeObject | undefined;
  if (started?.metadata?.annotations?.[labels.revision] !== revision) return false;
  return !isDeepStrictEqual(startedWith(started), startedWith(template));
}

/**
 * Whether somebody has edited with which image and arguments a member is started. Where they differ, a dry run asks the
 * host cluster what it makes of the prepared ones: its admission may rewrite them, and would do so again at each start.
 * If the user may not do that, it counts as an edit.
 *
 * @param path of the StatefulSet
 */
export async function isEdited(
  client: KubeClient,
  path: string,
  set: KubeObject,
  prepared: PreparedMember,
): Promise<boolean> {
  if (!isOtherwise(set, prepared)) return false;
  const [etcd, ...beside] = containersOf(set["spec"].template as KubeObject);
  const { image, command, args } = containersOf(prepared.template)[0] ?? {};
  const containers = [{ ...etcd, image, command, args }, ...beside];
  const query = { dryRun: "All" };
  try {
    const admitted = await client.merge(path, { spec: { template: { spec: { containers } } } }, { query });
    return !isDeepStrictEqual(startedWith(admitted["spec"].template as KubeObject), startedWith(set["spec"].template));
  } catch (error) {
    if (isTransient(error)) throw error;
    return true;
  }
}

function startedWith(template: KubeObject) {
  const [etcd] = containersOf(template);
  return [etcd?.image, etcd?.command ?? [], etcd?.args ?? []];
}

const containersOf = (template: KubeObject) => (template["spec"] as { containers: readonly Container[] }).containers;
