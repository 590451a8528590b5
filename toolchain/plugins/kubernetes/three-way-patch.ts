/**
 * The patch of client-side apply: what the new inputs change of the live object, and what the old ones had and the new
 * ones lack. For Kubernetes' own kinds a strategic merge patch, which knows the elements of lists by their names.
 * https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/#how-apply-calculates-differences-and-merges-changes
 */
import { fieldsOf, listType } from "./field-types.ts";
import type { FieldType } from "./field-types.ts";
import { isBuiltIn } from "./kinds.ts";
import { equal } from "./merge-patch.ts";
import { apiVersionOf, isObject, kindOf } from "./object.ts";
import type { Field, KubeObject } from "./object.ts";

export function threeWayPatch(
  olds: KubeObject,
  news: KubeObject,
  live: KubeObject,
): { readonly body: KubeObject; readonly contentType: string } {
  const type = `${apiVersionOf(live)}/${kindOf(live)}`;
  if (isBuiltIn(apiVersionOf(live)) && fieldsOf(type) !== undefined) {
    try {
      const body = patchMap({ code: `@${type}`, merges: "", omits: "" }, { olds, news, live });
      return { body, contentType: "application/strategic-merge-patch+json" };
    } catch (error) {
      if (!(error instanceof NoStrategy)) throw error;
    }
  }
  return { body: patchMap(plain, { olds, news, live }), contentType: "application/merge-patch+json" };
}

/** The type does not say how to merge this: a field it does not have, an element without its key. */
class NoStrategy extends Error {}

/** Maps are merged, lists replaced. */
const plain: FieldType = { code: "any", merges: "", omits: "" };

interface Three<T> {
  readonly olds: T;
  readonly news: T;
  readonly live: T;
}

function patchMap({ code, merges }: FieldType, { olds, news, live }: Three<KubeObject>): KubeObject {
  const patch: KubeObject = {};
  for (const [key, wanted] of Object.entries(news)) {
    const found = live[key];
    if (found === undefined) patch[key] = wanted;
    else if (isObject(found) && isObject(wanted)) {
      const type = memberType(code, key, equal(found, wanted));
      const before = olds[key];
      const inner = { olds: isObject(before) ? before : {}, news: wanted, live: found };
      if (type.merges !== "=") addUnlessEmpty(patch, key, patchMap(type, inner));
      else if (!equal(found, wanted)) patch[key] = wanted;
    } else if (Array.isArray(found) && Array.isArray(wanted)) {
      const before = olds[key];
      const type = memberType(code, key, equal(found, wanted));
      Object.assign(
        patch,
        patchList(key, type, { olds: Array.isArray(before) ? before : [], news: wanted, live: found }),
      );
    } else if (!equal(found, wanted)) patch[key] = wanted;
  }
  for (const key of Object.keys(olds)) if (!(key in news)) patch[key] = null;
  const isLeftover = () => Object.keys(patch).length > 0 || Object.keys(live).some((key) => !(key in news));
  if (merges === "~" && isLeftover()) patch["$retainKeys"] = Object.keys(news).sort();
  return patch;
}

function memberType(code: string, key: string, isSame: boolean): FieldType {
  if (code.startsWith("{}")) return { ...plain, code: code.slice(2) };
  if (!code.startsWith("@")) return plain;
  const type = fieldsOf(code.slice(1))!.get(key) ?? (isSame ? plain : undefined);
  if (type === undefined) throw new NoStrategy(`${code}: no field ${key}`);
  return type;
}

/** The entries of the patch for a list: itself, what to delete of a set, and the order wanted. */
function patchList(name: string, type: FieldType, lists: Three<Field[]>): KubeObject {
  const { element, mergeKey } = listType(type.code) ?? { element: "any", mergeKey: "" };
  if (mergeKey === "") return equal(lists.live, lists.news) ? {} : { [name]: lists.news };
  if (lists.live.length === 0) return lists.news.length === 0 ? {} : { [name]: lists.news };
  return mergeKey === "+" ? patchSet(name, lists) : patchElements(name, mergeKey, { ...type, code: element }, lists);
}

function patchSet(name: string, { olds, news, live }: Three<Field[]>): KubeObject {
  const patch: KubeObject = {};
  const added = news.filter((each) => !live.includes(each));
  const deleted = olds.filter((each) => !news.includes(each));
  if (added.length > 0) patch[name] = added;
  if (deleted.length > 0) patch[`$deleteFromPrimitiveList/${name}`] = deleted;
  if (deleted.length > 0 || !equal(live, news)) patch[`$setElementOrder/${name}`] = news;
  return patch;
}

function patchElements(name: string, key: string, type: FieldType, { olds, news, live }: Three<Field[]>): KubeObject {
  const [before, wanted, found] = [byKey(olds, key), byKey(news, key), byKey(live, key)];
  const changes: KubeObject[] = [];
  for (const [id, element] of wanted) {
    const there = found.get(id);
    const change = there ? patchMap(type, { olds: before.get(id) ?? {}, news: element, live: there }) : element;
    if (Object.keys(change).length > 0) changes.push({ ...change, [key]: element[key]! });
  }
  for (const [id, element] of before) {
    if (!wanted.has(id)) changes.push({ $patch: "delete", [key]: element[key]! });
  }
  const isOrdered = equal([...wanted.keys()], [...found.keys()]);
  if (changes.length === 0 && isOrdered) return {};
  const order = [...wanted.values()].map((element) => ({ [key]: element[key]! }));
  return { ...(changes.length > 0 && { [name]: changes }), [`$setElementOrder/${name}`]: order };
}

/** Elements by the value of their key; a value that comes again (a port for TCP and UDP) is told apart by its turn. */
function byKey(list: readonly Field[], key: string): Map<string, KubeObject> {
  const elements = new Map<string, KubeObject>();
  for (const element of list) {
    if (!isObject(element) || element[key] === undefined) throw new NoStrategy(`an element without ${key}`);
    let id = JSON.stringify(element[key]);
    while (elements.has(id)) id += " again";
    elements.set(id, element);
  }
  return elements;
}

function addUnlessEmpty(patch: KubeObject, key: string, nested: KubeObject): void {
  if (Object.keys(nested).length > 0) patch[key] = nested;
}
