/** Objects that one edit of a stack file moves: from an addon to another, between an addon and `policies`, to another version of their API. */
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ManifestObject } from "../../spec/addons/manifests.ts";
import { settled, withMocks, type Registered } from "./support/mocks.ts";

const registered = await withMocks();
const { createAddons } = await import("../../components/addons.ts");
const { declarePolicies } = await import("../../components/policies.ts");
const { asOfAddon, policiesName } = await import("../../components/object-names.ts");

class Karmada extends pulumi.ComponentResource {
  constructor() {
    super("test:index:Karmada", "prod", {});
  }
}

/** The objects that are registered, with one addon and one policy or neither. */
async function declared(
  addon: { name: string; objects: ManifestObject[]; target?: object } | undefined,
  policy?: object,
) {
  const karmada = new Karmada();
  const before = registered.length;
  const way = { kubeconfig: "", needs: [] };
  const plain = { target: { kind: "controlPlane" }, certificates: [], after: [], wait: true, timeout: "1m" };
  createAddons(
    "prod",
    (addon ? [{ ...plain, ...addon }] : []) as never,
    { karmada: way, members: new Map([["m1", { ...way, labels: {} }]]), host: undefined, pki: {} as never },
    karmada,
  );
  declarePolicies(
    policiesName("prod"),
    {
      policies: (policy ? [policy] : []) as never,
      rebalancers: [],
      provider: new k8s.Provider("karmada", {}),
      karmadaKubeconfig: "",
      needs: [],
      joined: [],
      formerly: (object) => [asOfAddon("prod", object, karmada)],
    },
    karmada,
  );
  await settled();
  return registered.slice(before).filter(({ type }) => /^kubernetes:/.test(type));
}

const typesOf = (urn: string): string => urn.split("::")[2]!;
/** What Pulumi knows a resource by: names of parents are no part of it. */
const urnOf = ({ type, name, parentUrn }: Pick<Registered, "type" | "name" | "parentUrn">): string =>
  `${typesOf(parentUrn)}$${type}::${name}`;
/** By what else it is looked for; what an alias does not say is as it is now. */
const formerUrnsOf = ({ aliases, ...resource }: Registered): string[] =>
  aliases.map(({ type, name, parentUrn }) =>
    urnOf({ type: type || resource.type, name: name || resource.name, parentUrn: parentUrn || resource.parentUrn }),
  );

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", namespace: "shops" } };
const policy = { kind: "PropagationPolicy", name: "web", namespace: "shops", spec: {} };
const policyObject = {
  apiVersion: "policy.karmada.io/v1alpha1",
  kind: "PropagationPolicy",
  metadata: { name: "web", namespace: "shops" },
  spec: {},
};
const of = (name: string, ...objects: ManifestObject[]) => ({ name, objects });
const inAddon = "test:index:Karmada$karmada:index:Addon$kubernetes:";

test("an object is the same resource in each addon, and the one that an earlier release named by its addon", async () => {
  const [[one], [two]] = [await declared(of("one", configMap)), await declared(of("two", configMap))];
  expect(urnOf(one!)).toBe(`${inAddon}core/v1:ConfigMap::prod-addons-karmada/ConfigMap/shops/web`);
  expect(urnOf(two!)).toBe(urnOf(one!));
  expect(formerUrnsOf(one!)).toContain(`${inAddon}core/v1:ConfigMap::prod-addon-one/ConfigMap/shops/web`);
});

test("an object in a member has its own URN, aliased to the one an earlier release gave it", async () => {
  const [object] = await declared({ ...of("one", configMap), target: { kind: "members", members: ["m1"] } });
  expect(urnOf(object!)).toBe(`${inAddon}core/v1:ConfigMap::prod-addons-member-m1/ConfigMap/shops/web`);
  expect(formerUrnsOf(object!)).toContain(`${inAddon}core/v1:ConfigMap::prod-addon-one/m1/ConfigMap/shops/web`);
});

test("a policy is found where it was before, in an addon or in policies, and is not deleted once it is there", async () => {
  const [[declaredHere], [ofAddon]] = [await declared(undefined, policy), await declared(of("one", policyObject))];
  expect(formerUrnsOf(declaredHere!)).toContain(urnOf(ofAddon!));
  expect(formerUrnsOf(ofAddon!)).toContain(urnOf(declaredHere!));
  expect([declaredHere!.deleteBeforeReplace, ofAddon!.deleteBeforeReplace]).toEqual([true, true]);
});

test.each([
  ["helm.toolkit.fluxcd.io", "v2beta2", "v2"],
  ["cluster.x-k8s.io", "v1alpha4", "v1beta1"],
  ["example.org", "v1beta4", "v3"],
  ["apiextensions.k8s.io", "v1beta1", "v1"],
])("an object of %s is the same in %s and in %s, wherever it comes from", async (group, before, after) => {
  const shop = (version: string) => ({ ...configMap, apiVersion: `${group}/${version}`, kind: "Shop" });
  const [[older], [newer]] = [await declared(of("one", shop(before))), await declared(of("two", shop(after)))];
  expect(formerUrnsOf(newer!)).toContain(urnOf(older!));
  expect(formerUrnsOf(older!)).toContain(urnOf(newer!));
  expect(formerUrnsOf(newer!)).toContain(`${inAddon}${group}/${before}:Shop::prod-addon-two/Shop/shops/web`);
});

test.each([
  ["v1", "core/v1"],
  ["apps/v1", "apps/v1"],
])("what Kubernetes itself has in %s for good is looked for in no other version", async (apiVersion, only) => {
  const [object] = await declared(of("one", { ...configMap, apiVersion }));
  expect(new Set(formerUrnsOf(object!).map((urn) => urn.split("$").at(-1)!.split("::")[0]))).toEqual(
    new Set([`kubernetes:${only}:ConfigMap`]),
  );
});
