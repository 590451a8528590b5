import type { KubeClient } from "../../../lib/kube/client.ts";
import { strandedPolicies } from "../../../lib/members/stranded.ts";

/** A plane with the clusters paris, oslo and rome, and these policies. */
const planeWith = (placements: Readonly<Record<string, object | undefined>>, whole: object | undefined = undefined) => {
  const policies = Object.entries(placements).map(([name, placement]) => ({
    metadata: { name, namespace: "default" },
    spec: { placement },
  }));
  const answers: Record<string, object[]> = {
    clusters: ["paris", "oslo", "rome"].map((name) => ({ metadata: { name } })),
    propagationpolicies: policies,
    clusterpropagationpolicies: whole === undefined ? [] : [{ metadata: { name: "all" }, spec: { placement: whole } }],
  };
  const get = (path: string) => Promise.resolve({ items: answers[path.split("/").at(-1) ?? ""] });
  return { get } as unknown as KubeClient;
};
const named = (...clusterNames: string[]) => ({ clusterAffinity: { clusterNames } });

test("a policy is stranded when it names no cluster that stays", async () => {
  const plane = planeWith({ web: named("paris"), both: named("paris", "oslo"), other: named("rome") }, named("paris"));
  expect(await strandedPolicies(plane, ["paris"])).toEqual([
    { policy: "PropagationPolicy default/web", clusters: ["paris"] },
    { policy: "ClusterPropagationPolicy all", clusters: ["paris"] },
  ]);
  expect(await strandedPolicies(plane, ["paris", "oslo"])).toContainEqual({
    policy: "PropagationPolicy default/both",
    clusters: ["paris", "oslo"],
  });
});

test("a cluster that is not there, or that is excluded, is none that stays", async () => {
  const excluding = { clusterAffinity: { clusterNames: ["paris", "oslo"], exclude: ["oslo"] } };
  const found = await strandedPolicies(planeWith({ later: named("paris", "never-joined"), excluding }), ["paris"]);
  expect(found.map(({ policy }) => policy)).toEqual([
    "PropagationPolicy default/later",
    "PropagationPolicy default/excluding",
  ]);
});

test("of several affinities one with another cluster is enough", async () => {
  const terms = (...names: string[][]) => ({
    clusterAffinities: names.map((clusterNames, i) => ({ affinityName: `a${i}`, clusterNames })),
  });
  const plane = planeWith({ lost: terms(["paris"], ["paris"]), kept: terms(["paris"], ["rome"]) });
  expect((await strandedPolicies(plane, ["paris"])).map(({ policy }) => policy)).toEqual([
    "PropagationPolicy default/lost",
  ]);
});

test("a policy that names no clusters may find others, and one that never had a cluster loses none", async () => {
  const byLabels = { clusterAffinity: { labelSelector: { matchLabels: { tier: "gold" } } } };
  const either = { clusterAffinities: [{ affinityName: "a", clusterNames: ["paris"] }, { affinityName: "b" }] };
  const plane = planeWith({ byLabels, either, everywhere: undefined, nowhere: named("never-joined") });
  expect(await strandedPolicies(plane, ["paris"])).toEqual([]);
});
