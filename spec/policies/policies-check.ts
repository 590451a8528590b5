import { closest } from "../closest.ts";
import type { Context } from "../context.ts";
import type { Problem } from "../problems.ts";
import { affinitiesOf, chosenBy, type Choosable } from "./chosen-members.ts";
import { checkWebhooks } from "./interpreter-webhooks.ts";
import { checkCustomization, checkOverlaps } from "./interpreters.ts";
import type { ClusterAffinity, PolicyPlacement } from "./placement-policy.ts";
import { type Policy, type PolicyObject, policyTitle } from "./policies.ts";

type Path = Problem["path"];

/** Finds policies that name undeclared clusters, and what Karmada's webhook would refuse. */
export function checkPolicies(policies: readonly Policy[], members: readonly string[], context: Context): Problem[] {
  return [
    ...twice(policies),
    ...checkInterpreters(policies, context),
    ...policies.flatMap((policy, i) => [
      ...clusterNamesIn(policy, ["policies", i]).flatMap((each) => undeclared(each, members)),
      ...checkPlacement(policy, ["policies", i, "placement"]),
      ...checkSelectors(policy, ["policies", i, "resourceSelectors"]),
      ...checkRest(policy, ["policies", i, "spec"]),
    ]),
  ];
}

function twice(policies: readonly Policy[]): Problem[] {
  const first = new Map<string, number>();
  return policies.flatMap((policy, i) => {
    const title = policyTitle(policy);
    const before = first.get(title);
    if (before === undefined) {
      first.set(title, i);
      return [];
    }
    return [
      { path: ["policies", i, "name"], message: `got "${policy.name}", want another name: policies[${before}] has it` },
    ];
  });
}

function checkInterpreters(policies: readonly Policy[], context: Context): Problem[] {
  const placed = policies.map((policy, i) => ({ policy, path: ["policies", i] }));
  const customizations = placed.flatMap(({ policy, path }) =>
    policy.kind === "ResourceInterpreterCustomization" ? [{ policy, path }] : [],
  );
  return [
    ...customizations.flatMap(({ policy, path }) => checkCustomization(policy, path, context)),
    ...checkOverlaps(customizations),
    ...placed.flatMap(({ policy, path }) =>
      policy.kind === "ResourceInterpreterWebhookConfiguration" ? checkWebhooks(policy, path, context) : [],
    ),
  ];
}

interface Named {
  readonly path: Path;
  readonly name: string;
}

/** Every cluster that a policy names, wherever it does. */
function clusterNamesIn(policy: Policy, at: Path): Named[] {
  switch (policy.kind) {
    case "PropagationPolicy":
    case "ClusterPropagationPolicy":
      return affinitiesIn(policy.placement, [...at, "placement"]).flatMap((each) => namesIn(each.affinity, each.path));
    case "OverridePolicy":
    case "ClusterOverridePolicy":
      return policy.overrideRules.flatMap(({ targetCluster }, i) =>
        namesIn(targetCluster, [...at, "overrideRules", i, "targetCluster"]),
      );
    case "FederatedResourceQuota":
      return (policy.staticAssignments ?? []).map(({ clusterName }, i) => ({
        path: [...at, "staticAssignments", i, "clusterName"],
        name: clusterName,
      }));
    case "WorkloadRebalancer":
    case "ResourceInterpreterCustomization":
    case "ResourceInterpreterWebhookConfiguration":
      return [];
  }
}

/** All affinities in a placement: of its targets and of its weights. */
function affinitiesIn({ clusterAffinity, clusterAffinities = [], replicaScheduling }: PolicyPlacement, at: Path) {
  const weights = replicaScheduling?.weightPreference?.staticWeightList ?? [];
  const list = [...at, "replicaScheduling", "weightPreference", "staticWeightList"];
  return [
    { path: [...at, "clusterAffinity"], affinity: clusterAffinity },
    ...clusterAffinities.map((affinity, i) => ({ path: [...at, "clusterAffinities", i], affinity })),
    ...weights.map(({ targetCluster }, i) => ({ path: [...list, i, "targetCluster"], affinity: targetCluster })),
  ];
}

function namesIn(affinity: Pick<ClusterAffinity, "clusterNames" | "exclude"> | undefined, at: Path): Named[] {
  return (["clusterNames", "exclude"] as const).flatMap((key) =>
    (affinity?.[key] ?? []).map((name, i) => ({ path: [...at, key, i], name })),
  );
}

function undeclared({ path, name }: Named, members: readonly string[]): Problem[] {
  if (members.includes(name)) return [];
  const meant = closest(name, members);
  const want = meant === undefined ? "want the name of one of members" : `did you mean "${meant}"?`;
  return [{ path, message: `got "${name}", which is no member, ${want}` }];
}

function checkPlacement(policy: Policy, at: Path): Problem[] {
  if (!("placement" in policy)) return [];
  const { clusterAffinity, clusterAffinities, spreadConstraints = [], replicaScheduling } = policy.placement;
  const problems: Problem[] = [];
  const found = (path: Path, message: string) => problems.push({ path: [...at, ...path], message });
  if (clusterAffinity !== undefined && clusterAffinities !== undefined)
    found(["clusterAffinities"], "got both this and clusterAffinity, want one of them");
  const { replicaSchedulingType, replicaDivisionPreference, weightPreference } = replicaScheduling ?? {};
  if (replicaSchedulingType === "Duplicated" && (replicaDivisionPreference ?? weightPreference) !== undefined)
    found(
      ["replicaScheduling", "replicaSchedulingType"],
      'got "Duplicated", want "Divided" for what says how to divide',
    );
  if (replicaDivisionPreference === "Aggregated" && weightPreference !== undefined)
    found(
      ["replicaScheduling", "weightPreference"],
      'got weights, want none with replicaDivisionPreference "Aggregated"',
    );
  spreadConstraints.forEach(({ spreadByField, spreadByLabel, minGroups, maxGroups }, i) => {
    if (spreadByField !== undefined && spreadByLabel !== undefined)
      found(["spreadConstraints", i, "spreadByLabel"], "got both this and spreadByField, want one of them");
    if (minGroups !== undefined && maxGroups !== undefined && minGroups > maxGroups)
      found(["spreadConstraints", i, "minGroups"], `got ${minGroups}, want at most maxGroups (${maxGroups})`);
  });
  const fields = spreadConstraints.flatMap(({ spreadByField }) => (spreadByField === undefined ? [] : [spreadByField]));
  if (fields.length > 0 && !fields.includes("cluster"))
    found(["spreadConstraints"], `got ${fields.join(", ")}, want spreadByField "cluster" as well: Karmada asks for it`);
  return problems;
}

function checkSelectors(policy: Policy, at: Path): Problem[] {
  if (!("resourceSelectors" in policy && "namespace" in policy)) return [];
  return policy.resourceSelectors.flatMap(({ namespace }, i) =>
    namespace === undefined || namespace === policy.namespace
      ? []
      : [
          {
            path: [...at, i, "namespace"],
            message: `got "${namespace}", want "${policy.namespace}", that of the policy, or a Cluster${policy.kind}`,
          },
        ],
  );
}

/** What has its own field must not be given twice. */
function checkRest(policy: Policy, at: Path): Problem[] {
  if (!("spec" in policy)) return [];
  const { spec, ...own } = policy;
  return Object.keys(spec)
    .filter((key) => key in own && !["kind", "name", "namespace"].includes(key))
    .map((key) => ({ path: [...at, key], message: `this has a field of its own, want it in ${pathOf(at, key)}` }));
}

const pathOf = ([, i]: Path, key: string): string => `policies[${i}].${key}`;

/** Policies that choose no declared member, by all that is known before anything runs, a sentence each. */
export function policyWarnings(deployment: {
  readonly policies: readonly PolicyObject[];
  readonly members: readonly Choosable[];
}): string[] {
  const { policies, members } = deployment;
  return policies.flatMap((policy, i) => {
    const placement = (policy.spec?.["placement"] ?? {}) as PolicyPlacement;
    if (affinitiesOf(placement).length === 0 || chosenBy(placement, members).length > 0) return [];
    return [
      `policies[${i}].placement: ${policyTitle(policy)} chooses none of ${members.length} members: ` +
        "what it selects runs nowhere, until a member with other labels or fields comes",
    ];
  });
}
