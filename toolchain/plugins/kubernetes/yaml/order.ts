/**
 * Which objects of a group must be there before which: a namespace before what lives in it, a
 * CustomResourceDefinition before its objects, and what the annotation `config.kubernetes.io/depends-on` names.
 */
import { annotation } from "../annotations.ts";
import { gvkOfObject, isCrd } from "../gvk.ts";
import { idOf, nameOf, namespaceOf } from "../object.ts";
import type { KubeObject } from "../object.ts";
import { definition } from "./objects.ts";

const DEPENDS_ON = "config.kubernetes.io/depends-on";

export interface Ordered {
  readonly object: KubeObject;
  readonly dependsOn: readonly KubeObject[];
}

/** The objects, each after all that it depends on. @throws for a circle, and for a dependency outside the group */
export function inOrder(objects: readonly KubeObject[]): Ordered[] {
  const needs = dependencies(objects);
  const ordered: Ordered[] = [];
  const placed = new Set<KubeObject>();
  for (let rest = [...objects]; rest.length > 0;) {
    const next = rest.filter((object) => needs.get(object)!.every((each) => placed.has(each)));
    if (next.length === 0) throw circle(rest, needs);
    for (const object of next) ordered.push({ object, dependsOn: needs.get(object)! });
    for (const object of next) placed.add(object);
    rest = rest.filter((object) => !placed.has(object));
  }
  return ordered;
}

function dependencies(objects: readonly KubeObject[]): ReadonlyMap<KubeObject, readonly KubeObject[]> {
  const byReference = new Map(objects.map((object) => [referenceOf(object), object]));
  const definitions = new Map(objects.filter(isCrd).map((crd) => [definition(crd)[0], crd]));
  const needs = (object: KubeObject): (KubeObject | undefined)[] => {
    const { group, kind } = gvkOfObject(object);
    const namespace = namespaceOf(object);
    return [
      namespace ? byReference.get(`/Namespace/${namespace}`) : undefined,
      definitions.get(`${group}/${kind}`),
      ...named(object).map((reference) => {
        const found = byReference.get(reference);
        if (found) return found;
        throw invalid(object, `external dependency: ${referenceOf(object)} -> ${reference}`);
      }),
    ];
  };
  return new Map(
    objects.map((object) => [object, [...new Set(needs(object))].filter((each) => each !== undefined)] as const),
  );
}

/** `group/Kind/name`, or `group/namespaces/namespace/Kind/name`. */
function referenceOf(object: KubeObject): string {
  const { group, kind } = gvkOfObject(object);
  const namespace = namespaceOf(object);
  return `${group}/${namespace ? `namespaces/${namespace}/` : ""}${kind}/${nameOf(object)}`;
}

function named(object: KubeObject): string[] {
  const text = annotation(object, DEPENDS_ON);
  const references = text ? text.split(",").map((each) => each.trim()) : [];
  for (const reference of references) {
    const fields = reference.split("/");
    if (fields.length === 3 || (fields.length === 5 && fields[1] === "namespaces")) continue;
    throw invalid(
      object,
      `failed to parse object reference: want <group>/[namespaces/<namespace>/]<kind>/<name>, got ${JSON.stringify(reference)}`,
    );
  }
  return references;
}

function invalid(object: KubeObject, cause: string): Error {
  return new Error(
    `invalid object: ${JSON.stringify(idOf(object))}: invalid ${JSON.stringify(DEPENDS_ON)} annotation: ${cause}`,
  );
}

function circle(rest: readonly KubeObject[], needs: ReadonlyMap<KubeObject, readonly KubeObject[]>): Error {
  const edges = rest.flatMap((object) =>
    needs
      .get(object)!
      .filter((each) => rest.includes(each))
      .map((each) => `- ${referenceOf(object)} -> ${referenceOf(each)}`),
  );
  return new Error(`cyclic dependency:\n${edges.join("\n")}`);
}
