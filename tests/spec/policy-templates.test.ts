import { resolve } from "../../spec/resolve.ts";
import { context, problemsOf, simulated } from "./configuration.ts";

const members = [simulated("paris", { region: "eu" }), simulated("oslo", { region: "eu" })];
const spread = {
  name: "spread",
  parameters: [
    { name: "app" },
    { name: "clusters", type: "list", default: ["paris"], allowed: ["paris", "oslo", "rome"] },
    { name: "weight", type: "number", default: 1, description: "of each member" },
    { name: "deps", type: "boolean", default: true },
    { name: "tier", allowed: ["gold", "silver"], default: "gold" },
  ],
  body: {
    kind: "PropagationPolicy",
    name: "$(app)-$(tier)",
    resourceSelectors: [
      { apiVersion: "apps/v1", kind: "Deployment", labelSelector: { matchLabels: { "app-$(tier)": "$(app)" } } },
    ],
    placement: {
      clusterAffinity: { clusterNames: "$(clusters)" },
      replicaScheduling: {
        weightPreference: { staticWeightList: [{ targetCluster: { clusterNames: ["paris"] }, weight: "$(weight)" }] },
      },
    },
    spec: { propagateDeps: "$(deps)", note: "$$(app) costs $5" },
  },
};
const made = (parameters: object, more: object = {}) => ({ template: "spread", parameters, ...more });
const problemsWith = (policies: object[], templates: object[] = [spread]) =>
  problemsOf({ members, policyTemplates: templates, policies });

test("a policy is made of a template and values of their types", () => {
  const config = {
    members,
    policyTemplates: [spread],
    policies: [made({ app: "web", clusters: ["paris", "oslo"], weight: 3, deps: false, tier: "silver" })],
  };
  const { policies, ...deployment } = resolve(config, context);
  expect(deployment).not.toHaveProperty("policyTemplates");
  expect(policies).toEqual([
    {
      kind: "PropagationPolicy",
      name: "web-silver",
      namespace: "default",
      spec: {
        propagateDeps: false,
        note: "$(app) costs $5",
        resourceSelectors: [
          {
            apiVersion: "apps/v1",
            kind: "Deployment",
            namespace: "default",
            labelSelector: { matchLabels: { "app-silver": "web" } },
          },
        ],
        placement: {
          clusterAffinity: { clusterNames: ["paris", "oslo"] },
          replicaScheduling: {
            replicaSchedulingType: "Divided",
            replicaDivisionPreference: "Weighted",
            weightPreference: { staticWeightList: [{ targetCluster: { clusterNames: ["paris"] }, weight: 3 }] },
          },
        },
      },
    },
  ]);
});

test("values have defaults, and a policy may say its name and namespace itself", () => {
  const policies = [made({ app: "web" }), made({ app: "web" }, { name: "other", namespace: "shop" })];
  const resolved = resolve({ members, policyTemplates: [spread], policies }, context).policies;
  expect(resolved.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(["default/web-gold", "shop/other"]);
});

test("a value of the wrong type, one that is not allowed, and one that nobody asked for are all named with their paths", () => {
  expect(
    problemsWith([
      made({ app: "web", clusters: "paris", weight: "3", deps: "yes", tier: "bronze" }),
      { template: "spred", parameters: { app: "web" } },
      made({ clusters: ["paris", "tokyo"], wieght: 2 }),
      made({ app: "a" }, { kind: "PropagationPolicy" }),
    ]),
  ).toEqual([
    'policies[0].parameters.clusters: got "paris", want a list of "paris", "oslo" or "rome"',
    'policies[0].parameters.weight: got "3", want a number (of each member)',
    'policies[0].parameters.deps: got "yes", want true or false',
    'policies[0].parameters.tier: got "bronze", want "gold" or "silver"',
    'policies[1].template: got "spred", which is no template, did you mean "spread"?',
    'policies[2].parameters.wieght: unknown key, did you mean "weight"?',
    "policies[2].parameters.app: missing, want a text",
    'policies[2].parameters.clusters: got "tokyo", want a list of "paris", "oslo" or "rome"',
    "policies[3].kind: unknown key, want one of template, parameters, name, namespace",
  ]);
});

test("what a template makes is checked like every policy, and said of the policy that picked it", () => {
  expect(
    problemsWith([
      { kind: "FederatedResourceQuota", name: "q", overall: { cpu: 10 } },
      made({ app: "web", weight: 0 }),
      made({ app: "web" }, { name: "A" }),
    ]),
  ).toEqual([
    'policies[0].overall.cpu: got 10, want an amount such as "10" or "8Gi", in quotes',
    'policies[1].template: "spread" makes placement.replicaScheduling.weightPreference.staticWeightList[0].weight: got 0, want a whole number from 1 to 2147483647',
    'policies[2].name: got "A", want a name of lower-case letters, digits, "-" and "."',
  ]);
  expect(problemsWith([made({ app: "web", clusters: ["paris", "rome"] }), made({ app: "web" })])).toEqual([
    'policies[1].template: "spread" makes name: got "web-gold", want another name: policies[0] has it',
    'policies[0].template: "spread" makes placement.clusterAffinity.clusterNames[1]: got "rome", which is no member, want the name of one of members',
  ]);
});

test("a template that contradicts itself is refused, whether or not it is used", () => {
  const templates = [
    {
      name: "a",
      parameters: [
        { name: "x", type: "number", default: "1" },
        { name: "x", type: "list", default: ["c"], allowed: ["a", 2] },
        { name: "unused" },
      ],
      body: { kind: "$(kind)", name: "$(x)", list: ["$$(left)", { "$(y)": 1 }] },
    },
    { name: "a", body: {} },
    { name: "b", parameters: [{ name: "x", type: "text" }], body: {} },
  ];
  expect(problemsWith([{ template: "a" }], templates.slice(0, 2))).toEqual([
    'policyTemplates[1].name: got "a", want another name: policyTemplates[0] has it',
    'policyTemplates[0].parameters[0].default: got "1", want a number',
    'policyTemplates[0].parameters[1].name: got "x", want another name: parameters[0] has it',
    'policyTemplates[0].parameters[1].default: got "c", want a list of "a" or 2',
    "policyTemplates[0].parameters[1].allowed[1]: got 2, want a text",
    "policyTemplates[0].body.kind: got $(kind), want one of its parameters: x, x, unused",
    'policyTemplates[0].body.list[1]["$(y)"]: got $(y), want one of its parameters: x, x, unused',
    'policyTemplates[0].parameters[2].name: got "unused", which the body has nowhere as $(unused)',
  ]);
  expect(problemsWith([], templates)).toEqual([
    'policyTemplates[2].parameters[0].type: got "text", want "string", "number", "boolean" or "list"',
  ]);
});
