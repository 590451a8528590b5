import type { Addon } from "../addons/addons.ts";
import type { ManifestObject } from "../addons/manifests.ts";
import { groupOf, isCrd } from "../addons/object-scope.ts";
import { isSpread } from "../addons/objects.ts";
import { chosenBy, type Choosable } from "./chosen-members.ts";
import type { PolicyPlacement } from "./placement-policy.ts";
import { type PolicyObject, policyTitle } from "./policies.ts";

/** A kind of objects that something places in members, which have to serve it. */
export interface SelectedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** What places them, as `PropagationPolicy default/web` or `addon shop`. */
  readonly by: readonly string[];
  /** Names of the members they may go to, except those that get the kind from this stack. */
  readonly members: readonly string[];
}

interface Placing {
  readonly by: string;
  readonly members: readonly string[];
  readonly kinds: readonly Kind[];
}

type Kind = Pick<SelectedKind, "apiVersion" | "kind"> & { readonly name?: string };

/** The kinds that policies and addons place, without those they define in a member themselves. */
export function selectedKinds({
  policies,
  addons,
  members,
}: {
  readonly policies: readonly PolicyObject[];
  readonly addons: readonly Addon[];
  readonly members: readonly Choosable[];
}): SelectedKind[] {
  const placing = [
    ...policies.flatMap((policy) => ofPolicy(policy, members)),
    ...addons.flatMap((addon) => ofAddon(addon, members)),
  ];
  const brought = bringing(placing, addons);
  const found = new Map<string, { apiVersion: string; kind: string; by: Set<string>; members: Set<string> }>();
  for (const { by, kinds, members: to } of placing)
    for (const { apiVersion, kind } of kinds) {
      const lacking = to.filter((member) => !brought(member, { apiVersion, kind }));
      if (lacking.length === 0) continue;
      const key = `${apiVersion} ${kind}`;
      const known = found.get(key) ?? { apiVersion, kind, by: new Set(), members: new Set() };
      found.set(key, known);
      known.by.add(by);
      for (const member of lacking) known.members.add(member);
    }
  return [...found.values()].map(({ by, members: to, ...kind }) => ({ ...kind, by: [...by], members: [...to] }));
}

function ofPolicy(policy: PolicyObject, members: readonly Choosable[]): Placing[] {
  if (!policy.kind.endsWith("PropagationPolicy")) return [];
  const { resourceSelectors, placement } = policy.spec as { resourceSelectors: Kind[]; placement?: PolicyPlacement };
  const kinds = resourceSelectors.map(({ apiVersion, kind, name }) => ({ apiVersion, kind, ...(name && { name }) }));
  return [{ by: policyTitle(policy), members: namesOf(chosenBy(placement ?? {}, members)), kinds }];
}

function ofAddon({ name, target, objects }: Addon, members: readonly Choosable[]): Placing[] {
  if (target.kind !== "propagated") return [];
  const { members: clusterNames, labels } = target;
  const affinity = {
    ...(clusterNames && { clusterNames: [...clusterNames] }),
    ...(labels && { labelSelector: { matchLabels: labels } }),
  };
  const kinds = objects
    .filter(isSpread)
    .map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, name: metadata.name }));
  return [{ by: `addon ${name}`, members: namesOf(chosenBy({ clusterAffinity: affinity }, members)), kinds }];
}

const namesOf = (members: readonly Choosable[]): string[] => members.map(({ name }) => name);

/**
 * Whether a member gets a kind from an addon or a policy for CRDs, whose selectors do not name the kinds they define.
 */
function bringing(placing: readonly Placing[], addons: readonly Addon[]) {
  const definitions = addons.flatMap(({ objects }) => objects.filter(isCrd).map(definitionOf));
  const selected = placing.map(({ members, kinds }) => ({
    members,
    names: kinds.filter(isCrd).map(({ name }) => name),
  }));
  const direct = addons.flatMap(({ target, objects }) =>
    target.kind === "members"
      ? [{ members: target.members, names: objects.filter(isCrd).map(({ metadata }) => metadata.name) }]
      : [],
  );
  const defines = (name: string | undefined, { apiVersion, kind }: Kind): boolean => {
    const group = groupOf({ apiVersion });
    if (name === undefined) return group.includes(".");
    const definition = definitions.find((each) => each.name === name);
    if (definition === undefined) return name.endsWith(`.${group}`);
    return definition.kind === kind && definition.apiVersions.includes(apiVersion);
  };
  return (member: string, kind: Kind): boolean =>
    [...selected, ...direct].some(
      ({ members, names }) => members.includes(member) && names.some((name) => defines(name, kind)),
    );
}

function definitionOf({ metadata, ...object }: ManifestObject) {
  const {
    group,
    names,
    versions = [],
  } = (object["spec"] ?? {}) as {
    group?: string;
    names?: { kind?: string };
    versions?: readonly { name: string; served?: boolean }[];
  };
  const served = versions.filter(({ served: isServed = true }) => isServed);
  return { name: metadata.name, kind: names?.kind, apiVersions: served.map(({ name }) => `${group}/${name}`) };
}
