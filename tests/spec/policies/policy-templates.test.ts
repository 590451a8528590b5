import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf, simulated } from "../configuration.ts";

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
  const { policies, policyTemplates } = resolve(config, context);
  expect(policyTemplates).toMatchObject([{ name: "spread", body: spread.body }]);
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

describe("templates of other stacks", () => {
  const config = (more: object = {}) => ({ members, policyTemplatesFrom: ["platform", "acme/games/eu"], ...more });
  const small = { name: "small", body: { kind: "FederatedResourceQuota", name: "small", overall: { cpu: "1" } } };
  const templates = { platform: [spread], "acme/games/eu": [small] };

  test("are picked from like those of the stack itself, and checked by whoever picks", () => {
    const policies = [made({ app: "web" }), { template: "small" }];
    const resolved = resolve(config({ policies }), { ...context, templates });
    expect(resolved.policies.map(({ kind, name }) => [kind, name])).toEqual([
      ["PropagationPolicy", "web-gold"],
      ["FederatedResourceQuota", "small"],
    ]);
    expect([resolved.policyTemplates, resolved]).toEqual([
      [],
      expect.not.objectContaining({ policyTemplatesFrom: expect.anything() }),
    ]);
    const wrong = [made({ app: "web", weight: "3" }), { template: "smal" }, { template: "large" }];
    expect(problemsOf(config({ policies: wrong }), { templates })).toEqual([
      'policies[0].parameters.weight: got "3", want a number (of each member)',
      'policies[1].template: got "smal", which is no template, did you mean "small"?',
      'policies[2].template: got "large", which is no template, want one of spread, small',
    ]);
  });

  test("have names of their own", () => {
    expect(
      problemsOf(config({ policyTemplates: [small] }), { templates: { ...templates, platform: [spread, small] } }),
    ).toEqual([
      'policyTemplatesFrom[0]: got "platform", whose template "small" is one of policyTemplates too, want one of that name',
      'policyTemplatesFrom[1]: got "acme/games/eu", whose template "small" is one of platform too, want one of that name',
    ]);
  });

  test("that this program does not understand are refused with what it is about them", () => {
    const newer = [{ ...small, since: "2.0" }];
    expect(
      problemsOf(config({ policies: [{ template: "spread" }] }), { templates: { ...templates, platform: newer } }),
    ).toEqual([
      'policyTemplatesFrom[0]: got "platform", whose templates another version of this program made: [0].since: unknown key, want one of name, parameters, body',
    ]);
    expect(problemsOf({ members, policyTemplatesFrom: "platform" })).toEqual([
      'policyTemplatesFrom: got "platform", want a list',
    ]);
  });
});
