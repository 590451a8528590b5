import type { Deadline } from "../wait.ts";
import type { KubeClient, KubeObject } from "./client.ts";
import { KubeError } from "./error.ts";
import { pagesOf } from "./listed.ts";
import { retryTransient } from "./retry-transient.ts";

/**
 * Has the API server rewrite every object of a resource with its present settings; it skips those that would not
 * change. As Kubernetes documents it, objects are replaced by themselves ("Encrypting Confidential Data at Rest").
 * Whoever changes one meanwhile has rewritten it as well. There may be many, and the API server has only just started, so that
 * one that does not answer is asked again until the deadline.
 *
 * @param resource with its group, for instance `secrets` or `works.work.karmada.io`
 * @param optional whether the resource may not exist @default false: that is an error
 * @returns how many there are
 */
export async function writeAnew(
  client: KubeClient,
  resource: string,
  deadline: Deadline,
  { optional = false } = {},
): Promise<number> {
  const kind = await retryTransient(`the kind of ${resource} to be known`, deadline, () => kindOf(client, resource));
  if (kind === undefined && optional) return 0;
  if (kind === undefined)
    throw new Error(
      `${resource}: Karmada has no such resource; want the plural and its group, as \`kubectl api-resources -o name\` has them`,
    );
  let count = 0;
  for await (const page of pagesOf(client, `${kind.base}/${kind.plural}`, { moving: true, deadline })) {
    if (page.length > 0 && deadline.left() === 0)
      throw new Error(
        `${resource}: ${count} were written anew in ${deadline.seconds} s, and there are more; run up again`,
      );
    const left = [...page];
    const worker = async () => {
      for (let object = left.pop(); object !== undefined; object = left.pop())
        await replace(client, kind, object, deadline);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    count += page.length;
  }
  return count;
}

/** An API server of Karmada takes 500 changes at once. */
const atOnce = 20;

interface Kind {
  /** For instance `/apis/work.karmada.io/v1alpha1`. */
  readonly base: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

/** In the group's preferred version, if that has the resource. */
async function kindOf(client: KubeClient, resource: string): Promise<Kind | undefined> {
  const [plural = "", ...parts] = resource.split(".");
  const group = parts.join(".");
  for (const apiVersion of group === "" ? ["v1"] : await versionsOf(client, group)) {
    const base = group === "" ? "/api/v1" : `/apis/${apiVersion}`;
    const { resources } = await client.get<{ resources: { name: string; kind: string }[] }>(base);
    const found = resources.find(({ name }) => name === plural);
    if (found !== undefined) return { base, apiVersion, kind: found.kind, plural };
  }
  return undefined;
}

async function versionsOf(client: KubeClient, group: string): Promise<string[]> {
  interface Version {
    readonly groupVersion: string;
  }
  const found = await client.find<{ preferredVersion: Version; versions: Version[] }>(`/apis/${group}`);
  if (found === undefined) return [];
  return [...new Set([found.preferredVersion, ...found.versions].map(({ groupVersion }) => groupVersion))];
}

async function replace(
  client: KubeClient,
  { base, apiVersion, kind, plural }: Kind,
  object: KubeObject,
  deadline: Deadline,
): Promise<void> {
  const { namespace, name = "" } = object.metadata ?? {};
  const path = `${base}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${plural}/${name}`;
  try {
    await retryTransient(`${path} to be written anew`, deadline, () =>
      client.replace(path, { apiVersion, kind, ...object }),
    );
  } catch (error) {
    if (!(error instanceof KubeError && (error.status === 404 || error.status === 409))) throw error;
  }
}
