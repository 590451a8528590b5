import type { KubeObject } from "../../../lib/kube/client.ts";
import {
  annotated,
  type Declarer,
  declarerDrift,
  declarerOf,
  isOthers,
  refusalOf,
} from "../../../lib/members/declarer.ts";

const cluster = (declarer: Declarer | undefined, more: object = {}): KubeObject => ({
  metadata: { name: "jakarta", annotations: annotated({ theirs: "1" }, declarer), ...more },
});

test("what is written is read again, and others' notes stay", () => {
  expect(cluster("members/maps").metadata?.annotations).toMatchObject({ theirs: "1" });
  expect(declarerOf(cluster("members/maps"))).toBe("members/maps");
  expect(annotated(cluster("members/maps").metadata!.annotations!, undefined)).toEqual({ theirs: "1" });
});

test.each<[string, Declarer | undefined, Declarer, boolean]>([
  ["one that nobody declares", undefined, "members/maps", false],
  ["its own", "members/maps", "members/maps", false],
  ["another team's", "members/traffic", "members/maps", true],
  ["the deployment's, for a team", "karmada/prod", "members/prod", true],
  ["a team's, for the deployment", "members/maps", "karmada/prod", true],
  ["that of the deployment under its name of before", "karmada/old", "karmada/prod", false],
])("%s", (_, noted, ours, others) => {
  expect(isOthers(cluster(noted), ours)).toBe(others);
  expect(refusalOf(cluster(noted), ours) !== undefined).toBe(others);
});

test("the refusal names who has it, how to let go of it, and what to do when that stack is no more or was called otherwise", () => {
  expect(refusalOf(cluster("members/traffic"), "members/maps")).toBe(
    'the stack of members "traffic" declares it\n' +
      "let go of it there (handOver: true, then out of its list), or choose another name; " +
      "if that stack is no more, run: kubectl annotate cluster jakarta karmada-pulumi/declared-by-; " +
      "if this stack was called so, set karmada:name: traffic",
  );
  expect(refusalOf(cluster("karmada/prod"), "members/maps")).toMatch(
    /^the deployment "prod" declares it\n.*declared-by-$/,
  );
});

test("one that is leaving is waited for, not refused", () => {
  const leaving = cluster("members/traffic", { deletionTimestamp: "2026-11-23T10:00:00Z" });
  expect(refusalOf(leaving, "members/maps")).toBeUndefined();
});

test("state of before names nobody: nothing is others', and nothing is missing", () => {
  expect(isOthers(cluster("members/traffic"), undefined)).toBe(false);
  expect(declarerDrift(cluster(undefined), undefined)).toEqual([]);
});

test("a note that is gone, or somebody else's, is found", () => {
  expect(declarerDrift(cluster("members/maps"), "members/maps")).toEqual([]);
  expect(declarerDrift(cluster(undefined), "members/maps")).toEqual([
    "karmada-pulumi/declared-by: is gone from the Cluster",
  ]);
  expect(declarerDrift(cluster("karmada/prod"), "members/maps")).toEqual(['the deployment "prod" declares it now']);
});
