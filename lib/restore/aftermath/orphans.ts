import type { KubeClient, KubeObject } from "../../kube/client.ts";
import { isForbidden, isTransient } from "../../kube/error.ts";
import { pagesOf } from "../../kube/listed.ts";
import { objectTitle } from "../../kube/object-title.ts";
import { paths, proxyPath } from "../../members/names.ts";
import { type Deadline, messageOf, waitFor } from "../../wait.ts";
import { managedObjects, type ManagedObject } from "./managed-objects.ts";

export interface OrphanReport {
  readonly orphans: readonly ManagedObject[];
  /** Members that could not be asked, with the reason. */
  readonly unasked: readonly string[];
}

/**
 * Objects that a Work put into a member after the snapshot was taken: the Work is not in the restored data, so Karmada
 * does not know of them and will never remove them. A member that does not answer yet is asked until the deadline: the
 * aggregated API server in front of the members may still be starting, and after a takeover a member refuses everybody
 * until Karmada has told it who the administrators are.
 *
 * @param declared members that are asked even if the plane does not have them; those of others that it has are asked too
 */
export async function findOrphans(
  plane: KubeClient,
  declared: readonly string[],
  deadline: Deadline,
): Promise<OrphanReport> {
  const there = await waitFor("the Clusters of Karmada", deadline, () => namesOfClusters(plane), { fatal });
  const clusters = [...new Set([...declared, ...there])];
  const works = await waitFor("the Works of Karmada", deadline, () => namesOfWorks(plane), { fatal });
  const asked = await Promise.all(
    clusters.map(async (cluster) => {
      try {
        return await waitFor(`what Karmada put into ${cluster}`, deadline, () => managedObjects(plane, cluster), {
          fatal,
        });
      } catch (error) {
        return `${cluster}: ${messageOf(error)}`;
      }
    }),
  );
  return {
    orphans: asked
      .flatMap((answer) => (typeof answer === "string" ? [] : answer))
      .filter(({ work }) => !works.has(work))
      .sort((a, b) => (describe(a) < describe(b) ? -1 : 1)),
    unasked: asked.filter((answer) => typeof answer === "string"),
  };
}

const fatal = (error: unknown) => !isTransient(error) && !isForbidden(error);

/** Deletes exactly what was found: one that was recreated meanwhile is another object, and stays. */
export async function removeOrphans(plane: KubeClient, orphans: readonly ManagedObject[]): Promise<void> {
  for (const { cluster, path, uid } of orphans) {
    await plane.delete(`${proxyPath(cluster)}${path}`, {
      apiVersion: "v1",
      kind: "DeleteOptions",
      preconditions: { uid },
      propagationPolicy: "Background",
    });
  }
}

/** `member1: ConfigMap default/settings`. */
export const describe = (object: ManagedObject): string => `${object.cluster}: ${objectTitle(object)}`;

/** Those that leave are not looked at. */
async function namesOfClusters(plane: KubeClient): Promise<string[]> {
  const { items } = await plane.get<{ items: KubeObject[] }>(paths.clusters);
  return items.flatMap(({ metadata: { name, deletionTimestamp } = {} }) =>
    name === undefined || deletionTimestamp !== undefined ? [] : [name],
  );
}

async function namesOfWorks(plane: KubeClient): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const page of pagesOf(plane, "/apis/work.karmada.io/v1alpha1/works"))
    for (const { metadata } of page) names.add(`${metadata?.namespace}/${metadata?.name}`);
  return names;
}
