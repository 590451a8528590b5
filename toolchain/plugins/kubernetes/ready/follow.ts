import { setTimeout as sleep } from "node:timers/promises";
import { isNotFound } from "../api-error.ts";
import type { Cluster, ObjectReference } from "../cluster.ts";
import { textAt } from "../object.ts";
import type { KubeObject } from "../object.ts";

const PAUSE_MS = 500;

/** The object as it is now and after every change, `undefined` once it is gone; for ever, until the signal is aborted. */
export async function* follow(
  cluster: Cluster,
  reference: ObjectReference,
  signal: AbortSignal,
): AsyncGenerator<KubeObject | undefined> {
  for (;;) {
    const object = await cluster.get(reference, signal).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    yield object;
    const resourceVersion = object && textAt(object, "metadata", "resourceVersion");
    yield* changes(cluster, reference, resourceVersion, signal);
    await sleep(PAUSE_MS, undefined, { signal }); // the server ended the watch: look again
  }
}

async function* changes(
  cluster: Cluster,
  { gvk, namespace, name }: ObjectReference,
  resourceVersion: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<KubeObject | undefined> {
  if (resourceVersion === undefined) return;
  const query = { fieldSelector: `metadata.name=${name}`, resourceVersion };
  for await (const { type, object } of cluster.watch(gvk, namespace, query, signal)) {
    if (type === "ERROR") return;
    if (type !== "BOOKMARK") yield type === "DELETED" ? undefined : object;
  }
}
