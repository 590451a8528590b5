import type { KubeClient } from "../kube/client.ts";
import { isNotFound } from "../kube/error.ts";

/** A kind of objects. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The version of a member, and what it serves. */
export interface Served {
  /** Version of its Kubernetes, as `v1.35.3`. */
  readonly version: string;
  /** The kinds asked about that it does not serve, and the other versions of their groups in which it does. */
  readonly missing: readonly (Kind & { readonly elsewhere: readonly string[] })[];
}

/**
 * Asks a member for its version, and about kinds. A kind that it cannot answer for, as when an aggregated server is
 * away, counts as served.
 *
 * @throws when it does not answer before `signal`
 */
export async function servedBy(member: KubeClient, kinds: readonly Kind[], signal: AbortSignal): Promise<Served> {
  const lists = new Map<string, Promise<readonly string[] | undefined>>();
  const kindsOf = (apiVersion: string) => {
    const list = lists.get(apiVersion) ?? kindsIn(member, apiVersion, signal);
    lists.set(apiVersion, list);
    return list;
  };
  const version = member.get<{ gitVersion: string }>("/version", { signal });
  const looks = kinds.map(async ({ apiVersion, kind }) => {
    const list = await kindsOf(apiVersion);
    if (list === undefined || list.includes(kind)) return [];
    const others = (await versionsOf(member, apiVersion, signal)).filter((each) => each !== apiVersion);
    const served = await Promise.all(others.map(kindsOf));
    return [{ apiVersion, kind, elsewhere: others.filter((_, i) => served[i]?.includes(kind)) }];
  });
  const [{ gitVersion }, missing] = await Promise.all([version, Promise.all(looks)]);
  return { version: gitVersion, missing: missing.flat() };
}

/** Empty if nothing of that version is served; undefined if unknown. */
async function kindsIn(
  member: KubeClient,
  apiVersion: string,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  try {
    const { resources } = await member.get<{ resources: readonly { kind: string }[] }>(path, { signal });
    return resources.map(({ kind }) => kind);
  } catch (error) {
    return isNotFound(error) ? [] : undefined;
  }
}

async function versionsOf(member: KubeClient, apiVersion: string, signal: AbortSignal): Promise<readonly string[]> {
  const group = apiVersion.split("/").slice(0, -1).join("/");
  if (group === "") return [];
  const found = await member
    .find<{ versions: readonly { groupVersion: string }[] }>(`/apis/${group}`, { signal })
    .catch(() => undefined);
  return (found?.versions ?? []).map(({ groupVersion }) => groupVersion);
}
