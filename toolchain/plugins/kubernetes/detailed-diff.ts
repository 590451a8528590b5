import { Unknown } from "../server/index.ts";
import type { PropertyDiff } from "../server/index.ts";
import { touches } from "./force-new.ts";
import type { FieldPath } from "./force-new.ts";
import { equal } from "./merge-patch.ts";
import { isObject } from "./object.ts";
import type { Field, KubeObject } from "./object.ts";

type Maybe = Field | undefined;

/**
 * The changes by property path: `patch` is the merge patch from `live` (old state in the shape of the old inputs) to
 * `news`. A change of a field in `forceNew` replaces.
 */
export function detailedDiff(
  patch: KubeObject,
  live: KubeObject,
  news: KubeObject,
  forceNew: readonly FieldPath[],
): Record<string, PropertyDiff> {
  const diff: Record<string, PropertyDiff> = {};
  for (const [path, change, inputDiff, kind] of mapChanges([], patch, live, news, live, false)) {
    const replaces = touches(forceNew, nest(path, change));
    diff[pathText(path)] = { kind: replaces ? `${kind}-replace` : kind, inputDiff };
  }
  return diff;
}

/** `spec.ports[0].name`, `metadata.annotations["example.com/a"]`. */
function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    if (/[."[\]]/.test(step)) return `${text}["${step.replaceAll('"', '\\"')}"]`;
    return text ? `${text}.${step}` : step;
  }, "");
}

type Path = readonly (string | number)[];
type Change = readonly [path: Path, value: Maybe, inputDiff: boolean, kind: "add" | "delete" | "update"];

function* mapChanges(
  path: Path,
  patch: KubeObject,
  live: KubeObject,
  news: KubeObject,
  olds: KubeObject,
  inList: boolean,
): Generator<Change> {
  for (const [key, value] of Object.entries(patch)) {
    yield* changes([...path, key], value, live[key], news[key], olds[key], inList);
  }
  if (!inList) return;
  for (const [key, value] of Object.entries(live)) {
    if (!(key in patch)) yield* changes([...path, key], null, value, news[key], olds[key], inList);
  }
}

function* changes(path: Path, value: Field, live: Maybe, news: Maybe, olds: Maybe, inList: boolean): Generator<Change> {
  // neither asked for before nor now: the server's own
  if (news === undefined && (value !== null || olds === undefined)) return;
  if (value === null) {
    if (news instanceof Unknown) yield [path, value, false, live === undefined ? "add" : "update"];
    else yield [path, value, true, "delete"];
  } else if (live === undefined) {
    yield [path, value, false, "add"];
  } else if (isObject(value) && isObject(live)) {
    yield* mapChanges(path, value, live, isObject(news) ? news : {}, isObject(olds) ? olds : {}, inList);
  } else if (Array.isArray(value) && Array.isArray(live)) {
    yield* listChanges(path, value, live, asList(news), asList(olds));
  } else if (!equal(value, live)) {
    yield [path, value, false, "update"];
  }
}

function* listChanges(path: Path, values: Field[], live: Field[], news: Field[], olds: Field[]): Generator<Change> {
  for (let i = 0; i < Math.max(values.length, live.length); i++) {
    const value = i < values.length ? values[i]! : null;
    yield* changes([...path, i], value, live[i], news[i] ?? null, olds[i] ?? null, true);
  }
}

function asList(field: Maybe): Field[] {
  return Array.isArray(field) ? field : [];
}

/** The change as the object it is part of, for matching paths against it. */
function nest(path: Path, value: Maybe): unknown {
  return path.reduceRight<unknown>((inner, step) => (typeof step === "number" ? [inner] : { [step]: inner }), value);
}
