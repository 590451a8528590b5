import { selectedKinds } from "../../../spec/policies/selected-kinds.ts";
import { resolve } from "../../../spec/resolve.ts";

const context = { stack: "test", directory: "/stack", stateHome: "/state" };
const simulated = (name: string, more: object = {}) => ({ name, credentials: { kind: "simulated" }, ...more });
const members = [simulated("paris", { labels: { tier: "gold" } }), simulated("oslo", { region: "north" })];
const game = { apiVersion: "games.example.org/v1", kind: "Game" };
const deployment = { apiVersion: "apps/v1", kind: "Deployment" };
const definitions = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };

const placing = (name: string, resourceSelectors: object[], placement: object = {}) => ({
  kind: "PropagationPolicy",
  name,
  resourceSelectors,
  placement,
});
const bringing = (name: string, target: object, ...objects: object[]) => ({
  name,
  target,
  source: { kind: "manifest", file: `${name}.json`, objects },
});
const definition = (versions: object[], kind = "Game") => ({
  ...definitions,
  metadata: { name: "games.games.example.org" },
  spec: { group: "games.example.org", names: { kind }, scope: "Namespaced", versions },
});

/** What is found for policies and addons, without the definitions themselves. */
function found(policies: object[], addons: ReturnType<typeof bringing>[] = []) {
  const files = addons.map(({ source: { file, objects } }) => [
    file,
    { text: JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }) },
  ]);
  const sources = addons.map(({ source: { kind, file }, ...addon }) => ({ ...addon, source: { kind, file } }));
  const config = { members, policies, addons: sources };
  const kinds = selectedKinds(resolve(config, { ...context, files: Object.fromEntries(files) as never }));
  return kinds.filter(({ kind }) => kind !== definitions.kind);
}

test("each kind is told once, with all that place it and every member where it may go", () => {
  const policies = [
    placing("web", [deployment, { ...deployment, name: "web" }], { clusterAffinity: { clusterNames: ["paris"] } }),
    placing("more", [deployment, game], {
      clusterAffinities: [
        { affinityName: "a", labelSelector: { matchLabels: { tier: "gold" } } },
        {
          affinityName: "b",
          fieldSelector: { matchExpressions: [{ key: "region", operator: "In", values: ["north"] }] },
        },
      ],
    }),
    {
      kind: "OverridePolicy",
      name: "other",
      resourceSelectors: [{ ...game, kind: "Toy" }],
      overrideRules: [{ overriders: {} }],
    },
  ];
  expect(found(policies)).toEqual([
    {
      ...deployment,
      by: ["PropagationPolicy default/web", "PropagationPolicy default/more"],
      members: ["paris", "oslo"],
    },
    { ...game, by: ["PropagationPolicy default/more"], members: ["paris", "oslo"] },
  ]);
});

test("what a propagated addon consists of is placed by it, in the members it is for", () => {
  const object = { ...game, metadata: { name: "chess" } };
  expect(found([], [bringing("shop", { kind: "propagated", labels: { tier: "gold" } }, object)])).toEqual([
    { ...game, by: ["addon shop"], members: ["paris"] },
  ]);
  expect(found([], [bringing("shop", { kind: "controlPlane" }, object)])).toEqual([]);
});

describe("a kind is not missing where its definition is brought", () => {
  const policies = [placing("games", [game])];
  const lacking = (addon: ReturnType<typeof bringing>, more: object[] = []) =>
    found([...policies, ...more], [addon]).flatMap((each) => each.members);
  const served = definition([{ name: "v1", served: true }]);

  test("by an addon, directly or by way of Karmada", () => {
    expect(lacking(bringing("crds", { kind: "members" }, served))).toEqual([]);
    expect(lacking(bringing("crds", { kind: "members", members: ["oslo"] }, served))).toEqual(["paris"]);
    expect(lacking(bringing("crds", { kind: "propagated", members: ["oslo"] }, served))).toEqual(["paris"]);
    expect(lacking(bringing("crds", { kind: "controlPlane" }, served))).toEqual(["paris", "oslo"]);
  });

  test("unless that has another kind or version", () => {
    for (const other of [
      definition([{ name: "v1", served: false }]),
      definition([{ name: "v2" }]),
      definition([{ name: "v1" }], "Toy"),
    ])
      expect(lacking(bringing("crds", { kind: "members" }, other))).toEqual(["paris", "oslo"]);
  });

  test("by a policy for it, or for all definitions", () => {
    const crds = bringing("crds", { kind: "controlPlane" }, served);
    const nothing = bringing(
      "none",
      { kind: "controlPlane" },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
    );
    const toOslo = { clusterAffinity: { clusterNames: ["oslo"] } };
    const policy = (name?: string) => [placing("definitions", [{ ...definitions, ...(name && { name }) }], toOslo)];
    expect(lacking(crds, policy("games.games.example.org"))).toEqual(["paris"]);
    expect(lacking(crds, policy("toys.games.example.org"))).toEqual(["paris"]);
    expect(lacking(nothing, policy("games.games.example.org"))).toEqual(["paris"]);
    expect(lacking(nothing, policy("games.example.com"))).toEqual(["paris", "oslo"]);
    expect(lacking(nothing, policy())).toEqual(["paris"]);
  });
});
