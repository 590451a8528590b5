import type { KubeClient } from "../../../lib/kube/client.ts";
import { memberStatus, readMembers } from "../../../lib/members/status.ts";

const ready = (status: string, reason: string, message = "") => ({
  conditions: [{ type: "Ready", status, reason, message, lastTransitionTime: "2026-11-21T10:00:00Z" }],
});
const cluster = (name: string, status: object, syncMode = "Push") => ({
  metadata: { name },
  spec: { syncMode },
  status,
});

test("a member that is Ready says its version and nodes, and since when", () => {
  const status = {
    ...ready("True", "ClusterReady", "cluster is healthy"),
    kubernetesVersion: "v1.35.3",
    nodeSummary: { totalNum: 3, readyNum: 2 },
    resourceSummary: { allocatable: { cpu: "24", memory: "96Gi" }, allocated: { cpu: "1" } },
  };
  expect(memberStatus(cluster("m1", status))).toEqual({
    name: "m1",
    mode: "Push",
    version: "v1.35.3",
    ready: "True",
    reason: "ClusterReady",
    message: "cluster is healthy",
    nodes: { ready: 2, total: 3 },
    allocatable: { cpu: "24", memory: "96Gi" },
    since: "2026-11-21T10:00:00Z",
  });
});

test("a node summary without ready nodes has none of them", () => {
  expect(memberStatus(cluster("m1", { nodeSummary: { totalNum: 3 } })).nodes).toEqual({ ready: 0, total: 3 });
});

test("one that Karmada has not looked at yet is unknown, one that is being deleted is leaving", () => {
  expect(memberStatus(cluster("m1", {}))).toMatchObject({ ready: "Unknown", reason: "NotLookedAt", version: "" });
  const going = { ...cluster("m1", ready("True", "ClusterReady")) };
  expect(memberStatus({ ...going, metadata: { name: "m1", deletionTimestamp: "x" } }).reason).toBe("Leaving");
});

test("members come in the order of their names with the end of their credentials, and declared ones that are missing too", async () => {
  const jwt = (claims: object) => {
    const token = ["h", Buffer.from(JSON.stringify(claims)).toString("base64url"), "s"].join(".");
    return { token: Buffer.from(token).toString("base64") };
  };
  const answers: Record<string, object> = {
    "/apis/cluster.karmada.io/v1alpha1/clusters": {
      items: [
        cluster("pulled", ready("Unknown", "ClusterStatusUnknown"), "Pull"),
        cluster("bound", ready("True", "ClusterReady")),
        cluster("lasting", ready("True", "ClusterReady")),
      ],
    },
    "/api/v1/namespaces/karmada-cluster/secrets": {
      items: [
        { metadata: { name: "bound" }, data: jwt({ exp: 1_800_000_000 }) },
        {
          metadata: { name: "lasting", annotations: { "karmada-pulumi/token-made": "2026-11-20T10:00:00Z" } },
          data: jwt({ sub: "x" }),
        },
        { metadata: { name: "pulled" }, data: jwt({ exp: 1_800_000_000 }) },
      ],
    },
  };
  const plane = { get: (path: string) => Promise.resolve(answers[path]) } as unknown as KubeClient;
  const ends = { "agent-pulled": "2027-11-21T10:00:00Z" };
  const versions = { "pulled-karmada-agent": "1.18.2", "lasting-karmada-agent": "1.17.1" };
  const members = await readMembers(plane, ["lasting", "away"], ends, versions);
  expect(members.map(({ agent }) => agent)).toEqual([undefined, undefined, undefined, "1.18.2"]);
  expect(members.map(({ name, ready, reason, credentialExpires }) => [name, ready, reason, credentialExpires])).toEqual(
    [
      ["away", "False", "NotRegistered", undefined],
      ["bound", "True", "ClusterReady", "2027-01-15T08:00:00.000Z"],
      ["lasting", "True", "ClusterReady", undefined],
      ["pulled", "Unknown", "ClusterStatusUnknown", "2027-11-21T10:00:00Z"],
    ],
  );
  expect(members.map(({ credentialSince }) => credentialSince)).toEqual([
    undefined,
    undefined,
    "2026-11-20T10:00:00Z",
    undefined,
  ]);
});
