import type { KubeClient, KubeObject } from "../kube/client.ts";
import { namespacedPath } from "../kube/paths.ts";
import { directoryClaim, ensureDirectory } from "./kubernetes-directory.ts";
import { claimName, labels, type PreparedMember } from "./kubernetes-member.ts";

/** What a claim says in addition to what every claim does. */
export type ClaimNotes = Pick<NonNullable<KubeObject["metadata"]>, "labels" | "annotations">;

/**
 * The claim of an incarnation, made where there is none, with whatever its volume needs. It keeps the kind of storage
 * that it was made with.
 */
export async function ensureClaim(
  client: KubeClient,
  namespace: string,
  member: string,
  incarnation: number,
  prepared: PreparedMember,
  more: ClaimNotes = {},
): Promise<KubeObject> {
  const path = namespacedPath(namespace, "persistentvolumeclaims", claimName(member, incarnation));
  const declared = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: claimName(member, incarnation),
      labels: { ...more.labels, [labels.member]: member, [labels.incarnation]: String(incarnation) },
      ...(more.annotations !== undefined && { annotations: more.annotations }),
    },
    spec: prepared.claim,
  };
  const make = async () =>
    prepared.hostPath === undefined
      ? client.apply(path, declared)
      : directoryClaim(client, namespace, member, declared, prepared);
  const claim = (await client.find(path)) === undefined ? await make() : await client.merge(path, { metadata: more });
  await ensureDirectory(client, namespace, claim);
  return claim;
}
