/** Objects of manifests, made ready to be resources. */
import { isList, isMap, Secret, secret } from "../../server/index.ts";
import type { Properties } from "../../server/index.ts";
import { gvkOfObject, gvkText, isCrd } from "../gvk.ts";
import type { GroupVersionKind } from "../gvk.ts";
import { apiVersionOf, fromProperties, kindOf, nameOf, namespaceOf, setAt, textAt } from "../object.ts";
import type { KubeObject } from "../object.ts";
import type { Session } from "../session.ts";

/** An object in plain values, and the same as it was given, with what is secret in it. */
export interface ManifestObject {
  readonly plain: KubeObject;
  readonly given: Properties;
}

/** Lists replaced by what is in them, `core/v1` by `v1`. @throws for an object without kind, apiVersion or name */
export function manifestObjects(given: readonly Properties[]): ManifestObject[] {
  return given.flatMap((each) => {
    const { items } = each;
    const list = items instanceof Secret ? items.value : items;
    if (isList(list)) {
      const members = list.filter(isMap);
      return manifestObjects(items instanceof Secret ? members.map(sealed) : members);
    }
    const plain = fromProperties(each);
    if (!apiVersionOf(plain) || !kindOf(plain)) throw lacks("a kind and apiVersion", plain);
    if (!nameOf(plain)) throw lacks("a .metadata.name", plain);
    setAt(plain, apiVersionOf(plain).replace(/^core\//, ""), "apiVersion");
    return [{ plain, given: each }];
  });
}

/**
 * Puts objects without a namespace into the default one. @returns the kinds of which it is unknown whether they have
 * one
 */
export async function setNamespaces(session: Session, objects: readonly ManifestObject[]): Promise<GroupVersionKind[]> {
  const unknown: GroupVersionKind[] = [];
  const declared = new Map(objects.filter(({ plain }) => isCrd(plain)).map(({ plain }) => definition(plain)));
  for (const { plain } of objects) {
    if (namespaceOf(plain)) continue;
    const gvk = gvkOfObject(plain);
    const namespaced = declared.get(`${gvk.group}/${gvk.kind}`) ?? (await session.isNamespaced(gvk));
    if (namespaced === undefined) unknown.push(gvk);
    else if (namespaced) setAt(plain, session.defaultNamespace, "metadata", "namespace");
  }
  return unknown;
}

/** Of a CustomResourceDefinition: the kind it makes, and whether its objects live in a namespace. */
export function definition(crd: KubeObject): [kind: string, namespaced: boolean] {
  return [
    `${textAt(crd, "spec", "group")}/${textAt(crd, "spec", "names", "kind")}`,
    textAt(crd, "spec", "scope") === "Namespaced",
  ];
}

/** Everything secret but what says which object it is. */
export function sealed(object: Properties): Properties {
  const isOpen = (key: string) => ["apiVersion", "kind", "metadata"].includes(key);
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, isOpen(key) ? value : secret(value)] as const),
  );
}

export function unknownScopeWarning(kinds: readonly GroupVersionKind[]): string {
  return (
    "Unable to determine whether the following kinds are namespaced without a reachable cluster or a matching " +
    "CustomResourceDefinition, so they are rendered without a namespace: " +
    `${[...new Set(kinds.map(gvkText))].join(", ")}. Set .metadata.namespace explicitly, or include the ` +
    "CustomResourceDefinition, to control the namespace."
  );
}

function lacks(what: string, object: KubeObject): Error {
  const text = JSON.stringify(object);
  const shown = text.length > 100 ? `${text.slice(0, 97)}...` : text;
  return new Error(`Kubernetes resources require ${what}: \`${shown}\``);
}
