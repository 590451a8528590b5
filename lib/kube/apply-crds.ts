import { type Deadline, deadlineIn, Pending, waitFor } from "../wait.ts";
import type { KubeClient, KubeObject } from "./client.ts";
import { nameOf } from "./crds.ts";
import { isTransient, KubeError } from "./error.ts";
import { watch } from "./watch.ts";

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Applies CRDs, all at once, and returns the generation of each when all of them are served. */
export async function applyCrds(
  client: KubeClient,
  crds: readonly KubeObject[],
  deadline: Deadline,
): Promise<Record<string, number>> {
  const applied = await Promise.all(
    crds.map((crd) =>
      waitFor(`${nameOf(crd)} to be accepted`, deadline, () => client.apply(`${path}/${nameOf(crd)}`, crd), {
        fatal: (error) => !isTransient(error),
      }),
    ),
  );
  await served(client, new Map(crds.map((crd) => [nameOf(crd), crd])), deadline);
  return generationsOf(applied);
}

/** The generation of each of these CRDs that exists. */
export async function crdGenerations(client: KubeClient, names: readonly string[]): Promise<Record<string, number>> {
  const { items } = await client.get<{ items: KubeObject[] }>(path);
  return generationsOf(items.filter((item) => names.includes(nameOf(item))));
}

/** Follows the definitions until each is Established. */
async function served(client: KubeClient, missing: Map<string, KubeObject>, deadline: Deadline): Promise<void> {
  await waitFor(
    `the definitions to be served`,
    deadline,
    async () => {
      const round = deadlineIn(Math.min(patience, deadline.left() / 1000));
      for await (const { type, object } of watch(client, path, round)) {
        if (type === "ERROR") throw new Error(object.message);
        if (conditionOf(object, "Established")?.status === "True") missing.delete(nameOf(object));
        const refused = conditionOf(object, "NamesAccepted");
        if (missing.has(nameOf(object)) && refused?.status === "False")
          throw new Refused(nameOf(object), refused.message);
        if (missing.size === 0) return undefined;
      }
      await Promise.all([...missing.values()].map((crd) => touch(client, crd)));
      return new Pending(`not served yet: ${[...missing.keys()].sort().join(", ")}`);
    },
    { fatal: (error) => error instanceof Refused || (error instanceof KubeError && !isTransient(error)) },
  );
}

/** Seconds an API server is given: a single one takes milliseconds, several wait for 5 s. */
const patience = 6;

/**
 * Changes a CRD. An API server that died right after accepting the names continues only on a change: its handler reacts
 * to changes, not to what it finds at its start (`updateCustomResourceDefinition` in
 * apiextensions-apiserver/pkg/apiserver/customresource_handler.go).
 */
async function touch(client: KubeClient, crd: KubeObject): Promise<void> {
  const annotations = { ...crd.metadata?.annotations, "karmada-pulumi/touched": new Date().toISOString() };
  await client.apply(`${path}/${nameOf(crd)}`, { ...crd, metadata: { ...crd.metadata, annotations } });
  await client.apply(`${path}/${nameOf(crd)}`, crd);
}

class Refused extends Error {
  constructor(name: string, message: string) {
    super(`${name}: its names are not accepted: ${message}`);
  }
}

const conditionOf = (object: KubeObject, type: string) =>
  (object.status?.conditions as { type: string; status: string; message: string }[] | undefined)?.find(
    (condition) => condition.type === type,
  );

const generationsOf = (crds: readonly KubeObject[]) =>
  Object.fromEntries(crds.map((crd) => [nameOf(crd), (crd.metadata as { generation: number }).generation]));
