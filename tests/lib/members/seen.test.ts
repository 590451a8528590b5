import { seenOf } from "../../../lib/members/seen.ts";

const conditions = [
  { type: "Ready", status: "True", reason: "ClusterReady", message: "", lastTransitionTime: "2026-11-21T10:00:00Z" },
];

test("what a Cluster tells of its member: the reason, since when, its nodes and what they have, and no more", () => {
  const status = {
    conditions,
    kubernetesVersion: "v1.35.3",
    nodeSummary: { totalNum: 3, readyNum: 2 },
    resourceSummary: { allocatable: { cpu: "24", memory: "96Gi" }, allocated: { cpu: "1" } },
  };
  expect(seenOf({ metadata: { name: "m1" }, status })).toEqual({
    readyReason: "ClusterReady",
    readySince: "2026-11-21T10:00:00Z",
    nodes: { ready: 2, total: 3 },
    allocatable: { cpu: "24", memory: "96Gi" },
  });
});

test("what Karmada has not counted yet is absent", () => {
  expect(seenOf({ status: { conditions } })).toEqual({
    readyReason: "ClusterReady",
    readySince: "2026-11-21T10:00:00Z",
  });
  expect(seenOf({})).toEqual({ readyReason: "NotLookedAt" });
});
