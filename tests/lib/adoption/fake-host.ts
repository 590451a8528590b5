import type { KubeClient, KubeObject } from "../../../lib/kube/client.ts";

/** A host cluster in memory: objects by path, lists by what begins with theirs. */
export class FakeHost {
  readonly objects: Map<string, KubeObject>;
  readonly client: KubeClient;

  constructor(objects: Readonly<Record<string, KubeObject>>) {
    this.objects = new Map(Object.entries(objects));
    const find = (path: string) => this.objects.get(path);
    const get = (path: string) => {
      const items = [...this.objects].filter(([each]) => each.startsWith(`${path}/`) || isListed(each, path));
      return find(path) ?? { items: items.map(([, object]) => object) };
    };
    const merge = (path: string, patch: object) => {
      const merged = mergePatch(find(path), patch) as KubeObject;
      this.objects.set(path, { ...merged, status: { replicas: merged["spec"]?.replicas } });
    };
    const wrapped = { find, get, merge } as Record<string, (...args: never[]) => unknown>;
    const methods = Object.entries(wrapped).map(([name, method]) => [
      name,
      (...args: never[]) => Promise.resolve(method(...args)),
    ]);
    this.client = { server: "https://host:6443", ...Object.fromEntries(methods) } as unknown as KubeClient;
  }
}

/** Of all namespaces. */
const isListed = (path: string, list: string): boolean => {
  const [group, kind] = [list.slice(0, list.lastIndexOf("/")), list.slice(list.lastIndexOf("/"))];
  return path.startsWith(`${group}/namespaces/`) && path.includes(`${kind}/`);
};

/** JSON merge patch (RFC 7386). */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const into = { ...(typeof target === "object" && target !== null && !Array.isArray(target) ? target : {}) } as Record<
    string,
    unknown
  >;
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete into[key];
    else into[key] = mergePatch(into[key], value);
  }
  return into;
}
