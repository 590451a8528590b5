import type { Context } from "../context.ts";
import type { Problem } from "../problems.ts";
import type { Addon, TypedAddon } from "./addons.ts";
import { checkAddonCertificates, secretsIn } from "./certificates.ts";
import type { FoundObject, ManifestObject } from "./manifests.ts";
import { type CustomScopes, customScopes, groupOf, identityOf, isNamespace, isNamespaced } from "./object-scope.ts";
import { readSource } from "./sources.ts";

/** All addons with what they are made of, or everything that is wrong with that. */
export interface ReadAddons {
  readonly addons: readonly Addon[];
  readonly problems: readonly Problem[];
}

/**
 * Reads every addon.
 * @param members names of all members
 * @param own namespace of this Karmada in the host cluster
 */
export function readAddons(
  typed: readonly TypedAddon[],
  members: readonly string[],
  context: Context,
  own?: string,
): ReadAddons {
  const sources = typed.map((addon, i) => readSource(addon, i, context));
  const scopes = customScopes(sources.flatMap(({ objects }) => objects.map(({ object }) => object)));
  const found = typed.map((addon, i) =>
    sources[i]!.objects.map(({ object, place }) => ({ object: inNamespace(object, addon, scopes), place })),
  );
  const problems = typed.flatMap((addon, i) => {
    const at = (message: string): Problem => ({ path: ["addons", i, "source"], message: `${addon.name}: ${message}` });
    return [
      ...sources[i]!.problems,
      ...checkAddonCertificates(addon, found[i]!, i),
      ...[...twice(found[i]!), ...unspread(addon, found[i]!), ...notTheirs(addon, found[i]!, own)].map(at),
      ...shared(typed, found, i, members).map(at),
    ];
  });
  const addons = typed.map(({ name, target, namespace = "default", certificates, after, wait, timeout }, i) => ({
    name,
    target: target.kind === "members" ? { ...target, members: target.members ?? members } : target,
    namespace,
    certificates,
    after,
    wait,
    timeout,
    objects: found[i]!.map(({ object }) => object),
    omitted: sources[i]!.omitted,
  }));
  return { addons: addons as readonly Addon[], problems };
}

/** What the operator should know about valid addons. */
export const addonNotes = (addons: readonly Addon[]): string[] =>
  addons
    .filter(({ omitted }) => omitted.length > 0)
    .map(({ name, omitted }) => `addon ${name}: left out as hooks of its chart: ${omitted.join(", ")}`);

function inNamespace(object: ManifestObject, { namespace }: TypedAddon, scopes: CustomScopes): ManifestObject {
  const { namespace: own, ...metadata } = object.metadata;
  const namespaced = isNamespaced(object, scopes);
  const given = namespaced === false ? undefined : (own ?? namespace ?? (namespaced ? "default" : undefined));
  return { ...object, metadata: { ...metadata, ...(given !== undefined && { namespace: given }) } } as ManifestObject;
}

/** Objects that one addon has twice. */
function twice(found: readonly FoundObject[]): string[] {
  const first = new Map<string, string>();
  return found.flatMap(({ object, place }) => {
    const identity = identityOf(object);
    const before = first.get(identity);
    first.set(identity, before ?? place);
    return before === undefined
      ? []
      : [`${place}: ${identity} is in ${before} already, want each object once${leftOut(place, before)}`];
  });
}

/** Objects that an earlier addon of the list puts into the same cluster. */
function shared(
  typed: readonly TypedAddon[],
  found: readonly (readonly FoundObject[])[],
  i: number,
  members: readonly string[],
): string[] {
  const whole = typed.map((addon, j) => [...found[j]!, ...secretsIn(addon)]);
  const own = new Map(whole[i]!.map(({ object, place }) => [identityOf(object), place]));
  const clusters = new Set(clustersOf(typed[i]!, members));
  return typed.slice(0, i).flatMap((other, j) => {
    if (!clustersOf(other, members).some((cluster) => clusters.has(cluster))) return [];
    const both = new Set(whole[j]!.map(({ object }) => identityOf(object)).filter((identity) => own.has(identity)));
    return [...both].map((identity) => {
      const place = own.get(identity)!;
      const theirs = whole[j]!.find(({ object }) => identityOf(object) === identity)!.place;
      return `${place}: ${identity} is in the addon ${other.name} already, want it in one of them${leftOut(place, theirs)}`;
    });
  });
}

/** How to leave one of two out that are in a chart's `crds/`. */
const leftOut = (...places: readonly string[]): string =>
  places.some((place) => place.includes("/crds/")) ? "; includeCRDs: false leaves out those in crds/ of a chart" : "";

/** Where an addon's objects are written. */
function clustersOf({ target }: TypedAddon, members: readonly string[]): string[] {
  switch (target.kind) {
    case "controlPlane":
    case "propagated":
      return ["Karmada"];
    case "host":
      return ["the host cluster"];
    case "members":
      return (target.members ?? members).map((member) => `member ${member}`);
  }
}

/** The namespace of this Karmada itself: it would be deleted with the addon. */
function notTheirs({ target }: TypedAddon, found: readonly FoundObject[], own: string | undefined): string[] {
  if (target.kind !== "host") return [];
  return found
    .filter(({ object }) => isNamespace(object) && object.metadata.name === own)
    .map(
      ({ place }) =>
        `${place}: Namespace ${own} is that of this Karmada (placement.namespace), which would be deleted with the addon, want another one`,
    );
}

/**
 * What Karmada never propagates, whatever the policy. https://karmada.io/docs/userguide/scheduling/propagation-policy
 */
function unspread({ target }: TypedAddon, found: readonly FoundObject[]): string[] {
  if (target.kind !== "propagated") return [];
  return found
    .filter(({ object }) => reserved.test(object.metadata.namespace ?? "") && !isKarmadas(object))
    .map(
      ({ object, place }) =>
        `${place}: ${identityOf(object)} is in a namespace that Karmada does not propagate, want another one or target.kind "members"`,
    );
}

const reserved = /^(kube-.*|karmada-system|karmada-cluster|karmada-es-.*)$/;

/** Objects meant for Karmada itself, such as an OverridePolicy. */
export const isKarmadas = (object: ManifestObject): boolean => /(^|\.)karmada\.io$/.test(groupOf(object));

/** Karmada creates namespaces in all members by itself, unless they opt out. */
export const isSpread = (object: ManifestObject): boolean =>
  !isKarmadas(object) &&
  (!isNamespace(object) || object.metadata.labels?.["namespace.karmada.io/skip-auto-propagation"] === "true");
