import { Archive, Asset, isList, isMap, Secret, Unknown } from "../server/index.ts";
import type { Diff, DiffRequest, Properties, PropertyDiff, Value } from "../server/index.ts";
import { isInternal } from "./fields.ts";

type Kind = "add" | "delete" | "update";

/**
 * Old inputs against new ones. Only a change of `triggers` as a whole replaces here: that a change inside them
 * replaces as well is told to the engine by the SDK (replaceOnChanges).
 */
export async function diffInputs(request: DiffRequest): Promise<Diff> {
  const changes = changedPaths(request.oldInputs, wantedInputs(request));
  const detailed: Record<string, PropertyDiff> = {};
  for (const [path, kind] of changes) detailed[path] = { kind: path === "triggers" ? `${kind}-replace` : kind };
  const diffs = [...new Set([...changes.keys()].map((path) => /^[^.[]*/.exec(path)![0]))];
  const replaces = changes.has("triggers") ? ["triggers"] : [];
  return { changes: changes.size > 0, replaces, diffs, detailed };
}

/** The new inputs, with the state's values where changes are to be ignored. */
export function wantedInputs(request: {
  olds: Properties;
  news: Properties;
  ignoreChanges: readonly string[];
}): Properties {
  const kept = request.ignoreChanges.filter((name) => name in request.olds);
  return { ...request.news, ...Object.fromEntries(kept.map((name) => [name, request.olds[name]])) };
}

/** Every change by its path, `environment.A` or `triggers[1]`. */
export function changedPaths(olds: Properties, news: Properties): Map<string, Kind> {
  const changes = new Map<string, Kind>();
  compareMaps("", withoutInternal(olds), withoutInternal(news), changes);
  return changes;
}

function withoutInternal(inputs: Properties): Properties {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !isInternal(key)));
}

function compareMaps(path: string, olds: Properties, news: Properties, changes: Map<string, Kind>): void {
  for (const key of new Set([...Object.keys(olds), ...Object.keys(news)])) {
    compare(path === "" ? key : path + step(key), olds[key], news[key], changes);
  }
}

function compare(path: string, old: Value, now: Value, changes: Map<string, Kind>): void {
  if (isAbsent(old) || isAbsent(now)) {
    if (!isAbsent(now)) changes.set(path, "add");
    if (!isAbsent(old)) changes.set(path, "delete");
  } else if (isMap(old) && isMap(now)) {
    compareMaps(path, old, now, changes);
  } else if (isList(old) && isList(now)) {
    for (let i = 0; i < Math.max(old.length, now.length); i++) compare(`${path}[${i}]`, old[i], now[i], changes);
  } else if (!isSame(old, now)) {
    changes.set(path, "update");
  }
}

function isSame(old: Value, now: Value): boolean {
  if (old instanceof Secret && now instanceof Secret)
    return changedPaths({ it: old.value }, { it: now.value }).size === 0;
  if (old instanceof Asset && now instanceof Asset) return isSameContent(old, now);
  if (old instanceof Archive && now instanceof Archive) return isSameContent(old, now);
  if (old instanceof Unknown || now instanceof Unknown) return false;
  return old === now;
}

function isSameContent(old: Asset | Archive, now: Asset | Archive): boolean {
  if (old.hash !== undefined && now.hash !== undefined) return old.hash === now.hash;
  return JSON.stringify(old.content) === JSON.stringify(now.content);
}

function isAbsent(value: Value): boolean {
  return value === null || value === undefined;
}

function step(key: string): string {
  return /[.[\]"]/.test(key) ? `[${JSON.stringify(key)}]` : `.${key}`;
}
