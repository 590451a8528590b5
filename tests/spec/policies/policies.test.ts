import { schedulersOf, schedulerWarnings } from "../../../spec/control-plane/schedulers.ts";
import { policyWarnings } from "../../../spec/policies/policies-check.ts";
import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf, simulated } from "../configuration.ts";

const members = [
  simulated("paris", { region: "eu", zones: ["a", "b"], labels: { tier: "gold" } }),
  simulated("oslo", { region: "eu", labels: { tier: "silver" } }),
];
const web = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const placing = (placement: object, more: object = {}) => ({
  kind: "PropagationPolicy",
  name: "web",
  resourceSelectors: [web],
  placement,
  ...more,
});
const problemsWith = (...policies: object[]) => problemsOf({ members, policies });

test("a policy is the object of Karmada's API, with what its webhook would fill in", () => {
  const placement = {
    clusterAffinity: { clusterNames: ["paris", "oslo"] },
    clusterTolerations: [{ key: "team", operator: "Exists" }],
    spreadConstraints: [{ spreadByField: "cluster", minGroups: 1, maxGroups: 2 }],
    replicaScheduling: {
      weightPreference: { staticWeightList: [{ targetCluster: { clusterNames: ["paris"] }, weight: 2 }] },
    },
  };
  const { policies } = resolve(
    { members, policies: [placing(placement, { spec: { propagateDeps: true, priority: 10 } })] },
    context,
  );
  expect(policies).toEqual([
    {
      kind: "PropagationPolicy",
      name: "web",
      namespace: "default",
      spec: {
        propagateDeps: true,
        priority: 10,
        resourceSelectors: [{ ...web, namespace: "default" }],
        placement: {
          ...placement,
          replicaScheduling: {
            replicaSchedulingType: "Divided",
            replicaDivisionPreference: "Weighted",
            ...placement.replicaScheduling,
          },
        },
      },
    },
  ]);
});

test("a policy names its scheduler, in a field of its own", () => {
  const [policy] = resolve({ members, policies: [placing({}, { schedulerName: "by-price" })] }, context).policies;
  expect(policy?.spec).toMatchObject({ schedulerName: "by-price" });
  expect(problemsWith(placing({}, { schedulerName: "a", spec: { schedulerName: "b" } }))).toEqual([
    "policies[0].spec.schedulerName: this has a field of its own, want it in policies[0].schedulerName",
  ]);
});

test("what is scheduled anew is no object that is kept", () => {
  const workloads = [{ apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "web" }];
  const rebalancer = { kind: "WorkloadRebalancer", name: "again", workloads, trigger: 2 };
  const resolved = resolve({ members, policies: [rebalancer, placing({})] }, context);
  expect(resolved.rebalancers).toEqual([{ ...rebalancer, trigger: "2" }]);
  expect(resolved.policies.map(({ kind }) => kind)).toEqual(["PropagationPolicy"]);
  expect(problemsWith({ ...rebalancer, workloads: [] }, { ...rebalancer, ttlSecondsAfterFinished: "1h" })).toEqual([
    "policies[0].workloads: got an empty list, want at least one",
    'policies[1].ttlSecondsAfterFinished: got "1h", want a whole number from 0 to 2147483647',
  ]);
});

test("one without a namespace leaves its selectors in every one, and overrides and quotas are objects too", () => {
  const overriders = { imageOverrider: [{ component: "Registry", operator: "replace", value: "mirror.example.org" }] };
  const overrideRules = [{ targetCluster: { clusterNames: ["oslo"] }, overriders }];
  const config = {
    members,
    policies: [
      placing({}, { kind: "ClusterPropagationPolicy", name: "all" }),
      { kind: "ClusterOverridePolicy", name: "mirror", resourceSelectors: [web], overrideRules },
      { kind: "OverridePolicy", name: "mirror", namespace: "shop", resourceSelectors: [web], overrideRules },
      {
        kind: "FederatedResourceQuota",
        name: "shop",
        namespace: "shop",
        overall: { cpu: "10", memory: "8Gi" },
        staticAssignments: [{ clusterName: "oslo", hard: { cpu: "500m" } }],
      },
    ],
  };
  expect(resolve(config, context).policies).toEqual([
    { kind: "ClusterPropagationPolicy", name: "all", spec: { resourceSelectors: [web], placement: {} } },
    { kind: "ClusterOverridePolicy", name: "mirror", spec: { resourceSelectors: [web], overrideRules } },
    {
      kind: "OverridePolicy",
      name: "mirror",
      namespace: "shop",
      spec: { resourceSelectors: [{ ...web, namespace: "shop" }], overrideRules },
    },
    {
      kind: "FederatedResourceQuota",
      name: "shop",
      namespace: "shop",
      spec: {
        overall: { cpu: "10", memory: "8Gi" },
        staticAssignments: [{ clusterName: "oslo", hard: { cpu: "500m" } }],
      },
    },
  ]);
});

test("a cluster that is no member is found wherever it is named, with the member that was meant", () => {
  const weights = [{ targetCluster: { clusterNames: ["rome"] }, weight: 1 }];
  expect(
    problemsWith(
      placing({
        clusterAffinity: { clusterNames: ["paris", "pariss"], exclude: ["osl"] },
        replicaScheduling: { weightPreference: { staticWeightList: weights } },
      }),
      placing({ clusterAffinities: [{ affinityName: "a", clusterNames: ["rome"] }] }, { name: "two" }),
      {
        kind: "OverridePolicy",
        name: "o",
        resourceSelectors: [web],
        overrideRules: [{ targetCluster: { clusterNames: ["rome"] }, overriders: {} }],
      },
      {
        kind: "FederatedResourceQuota",
        name: "q",
        overall: {},
        staticAssignments: [{ clusterName: "rome", hard: {} }],
      },
    ),
  ).toEqual([
    'policies[0].placement.clusterAffinity.clusterNames[1]: got "pariss", which is no member, did you mean "paris"?',
    'policies[0].placement.clusterAffinity.exclude[0]: got "osl", which is no member, did you mean "oslo"?',
    'policies[0].placement.replicaScheduling.weightPreference.staticWeightList[0].targetCluster.clusterNames[0]: got "rome", which is no member, want the name of one of members',
    'policies[1].placement.clusterAffinities[0].clusterNames[0]: got "rome", which is no member, want the name of one of members',
    'policies[2].overrideRules[0].targetCluster.clusterNames[0]: got "rome", which is no member, want the name of one of members',
    'policies[3].staticAssignments[0].clusterName: got "rome", which is no member, want the name of one of members',
  ]);
});

test("a policy for nothing is refused, and so is what does not fit its kind, all at once", () => {
  const { resourceSelectors: _, ...without } = placing({});
  expect(
    problemsWith(
      without,
      { ...without, name: "none", resourceSelectors: [] },
      { kind: "PropagationPolicies", name: "x" },
      placing({ clusterAfinity: {} }, { name: "typo" }),
      { kind: "OverridePolicy", name: "o", resourceSelectors: [web], overrideRules: [{ overriders: { image: [] } }] },
      { kind: "FederatedResourceQuota", name: "q", overall: { cpu: 10 } },
    ),
  ).toEqual([
    "policies[0].resourceSelectors: missing, want a list",
    "policies[1].resourceSelectors: got an empty list, want at least one",
    'policies[2].kind: got "PropagationPolicies", want "PropagationPolicy", "ClusterPropagationPolicy", "OverridePolicy", "ClusterOverridePolicy", "FederatedResourceQuota", "WorkloadRebalancer", "ResourceInterpreterCustomization" or "ResourceInterpreterWebhookConfiguration"',
    'policies[3].placement.clusterAfinity: unknown key, did you mean "clusterAffinity"?',
    "policies[4].overrideRules[0].overriders.image: unknown key, want one of plaintext, imageOverrider, commandOverrider, argsOverrider, labelsOverrider, annotationsOverrider, fieldOverrider",
    'policies[5].overall.cpu: got 10, want an amount such as "10" or "8Gi", in quotes',
  ]);
});

test("what Karmada's webhook would refuse is found before anything starts", () => {
  const affinity = { affinityName: "a", clusterNames: ["paris"] };
  expect(
    problemsWith(
      placing({
        clusterAffinity: {},
        clusterAffinities: [affinity],
        spreadConstraints: [
          { spreadByField: "region", spreadByLabel: "tier" },
          { spreadByField: "zone", minGroups: 3, maxGroups: 2 },
        ],
        replicaScheduling: { replicaSchedulingType: "Duplicated", replicaDivisionPreference: "Aggregated" },
      }),
      placing({}, { resourceSelectors: [{ ...web, namespace: "shop" }], spec: { placement: {}, priority: 1 } }),
    ),
  ).toEqual([
    'policies[1].name: got "web", want another name: policies[0] has it',
    "policies[0].placement.clusterAffinities: got both this and clusterAffinity, want one of them",
    'policies[0].placement.replicaScheduling.replicaSchedulingType: got "Duplicated", want "Divided" for what says how to divide',
    "policies[0].placement.spreadConstraints[0].spreadByLabel: got both this and spreadByField, want one of them",
    "policies[0].placement.spreadConstraints[1].minGroups: got 3, want at most maxGroups (2)",
    'policies[0].placement.spreadConstraints: got region, zone, want spreadByField "cluster" as well: Karmada asks for it',
    'policies[1].resourceSelectors[0].namespace: got "shop", want "default", that of the policy, or a ClusterPropagationPolicy',
    "policies[1].spec.placement: this has a field of its own, want it in policies[1].placement",
  ]);
});

describe("a warning is given of a policy that chooses no member", () => {
  const warningsOf = (placement: object) =>
    policyWarnings(resolve({ members, policies: [placing(placement)] }, context)).length;

  test.each([
    [0, {}],
    [0, { clusterAffinity: { clusterNames: ["paris"] } }],
    [1, { clusterAffinity: { clusterNames: ["paris"], exclude: ["paris"] } }],
    [0, { clusterAffinity: { labelSelector: { matchLabels: { tier: "gold" } } } }],
    [1, { clusterAffinity: { clusterNames: ["oslo"], labelSelector: { matchLabels: { tier: "gold" } } } }],
    [1, { clusterAffinity: { labelSelector: { matchExpressions: [{ key: "gpu", operator: "Exists" }] } } }],
    [0, { clusterAffinity: { labelSelector: { matchExpressions: [{ key: "gpu", operator: "DoesNotExist" }] } } }],
    [0, { clusterAffinity: { fieldSelector: { matchExpressions: [{ key: "zone", operator: "In", values: ["b"] }] } } }],
    [
      1,
      {
        clusterAffinity: {
          fieldSelector: { matchExpressions: [{ key: "region", operator: "NotIn", values: ["eu"] }] },
        },
      },
    ],
    [0, { clusterAffinities: [{ affinityName: "a", exclude: ["paris", "oslo"] }, { affinityName: "b" }] }],
  ])("%d for %j", (count, placement) => {
    expect(warningsOf(placement)).toBe(count);
  });

  test("with its name and place", () => {
    const placement = { clusterAffinity: { labelSelector: { matchLabels: { tier: "lead" } } } };
    expect(policyWarnings(resolve({ members, policies: [placing(placement)] }, context))).toEqual([
      "policies[0].placement: PropagationPolicy default/web chooses none of 2 members: " +
        "what it selects runs nowhere, until a member with other labels or fields comes",
    ]);
  });
});

describe("a warning is given of a policy whose scheduler nobody has declared", () => {
  const warningsOf = (schedulerName: string | undefined, controlPlane: object = {}) =>
    warningsFor(resolve({ members, controlPlane, policies: [placing({}, { schedulerName })] }, context));
  const warningsFor = (deployment: ReturnType<typeof resolve>) =>
    schedulerWarnings(deployment.policies, schedulersOf(deployment.controlPlane));

  test("with what there is, and what may be meant", () => {
    const sentence = (known: string) =>
      `policies[0].schedulerName: got "by-prise", which is none of ${known}: what PropagationPolicy default/web selects runs nowhere, unless a scheduler of that name does; `;
    expect(warningsOf("by-prise")).toEqual([`${sentence("default-scheduler")}name it in controlPlane.schedulers then`]);
    expect(warningsOf("by-prise", { schedulers: ["by-price"] })).toEqual([
      `${sentence("default-scheduler, by-price")}did you mean "by-price"?`,
    ]);
  });

  test("not of one that is declared, nor of Karmada's own under whatever name", () => {
    expect(warningsOf(undefined)).toEqual([]);
    expect(warningsOf("default-scheduler")).toEqual([]);
    expect(warningsOf("by-price", { schedulers: ["by-price"] })).toEqual([]);
    const renamed = { "karmada-scheduler": { extraArgs: { "scheduler-name": "ours" } } };
    expect([warningsOf("ours", renamed).length, warningsOf(undefined, renamed).length]).toEqual([0, 1]);
  });
});

test.each(["a.b", "Shop", "-a", "a".repeat(64)])("%s is no namespace", (namespace) => {
  const quota = { kind: "FederatedResourceQuota", name: "small.one", overall: { cpu: "1" } };
  expect(problemsOf({ policies: [{ ...quota, namespace: "a".repeat(63) }] })).toEqual([]);
  expect(problemsOf({ policies: [{ ...quota, namespace }] })).toEqual([
    `policies[0].namespace: got "${namespace}", want a DNS-1123 label such as "shop"`,
  ]);
});
