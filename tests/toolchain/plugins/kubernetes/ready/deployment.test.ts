import { deploymentRule } from "../../../../../toolchain/plugins/kubernetes/ready/deployment.ts";
import type { KubeObject } from "../../../../../toolchain/plugins/kubernetes/object.ts";

const revision = (number: number) => ({ "deployment.kubernetes.io/revision": `${number}` });
const conditions = [
  { type: "Available", status: "True" },
  { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable" },
];
/** As Kubernetes shows one of strategy Recreate on the way from its first revision to the second. */
const seen = (shown: number, replicas: number, spec: object, status: object, once = false) => {
  const object = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "agent", uid: "of-agent", generation: 2, annotations: revision(shown) },
    spec: { replicas: 1, strategy: { type: "Recreate" }, ...spec },
    status: { observedGeneration: 2, conditions, ...status },
  };
  const replicaSet = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: `agent-${shown}`, annotations: revision(shown), ownerReferences: [{ uid: "of-agent" }] },
    spec: { replicas },
    status: { readyReplicas: replicas },
  };
  return deploymentRule.judge({
    object,
    written: object,
    previous: { ...object, metadata: { ...object.metadata, generation: 1, annotations: revision(1) } } as KubeObject,
    related: (kind) => (kind === "ReplicaSet" ? [replicaSet] : []),
    isListed: () => true,
    waitedMs: 0,
    quietMs: undefined,
    once,
    gone: false,
  }).ready;
};

test("one whose old pods have ended and whose new ones have not begun is not ready, though all told of it is as before", () => {
  expect(seen(1, 0, {}, { updatedReplicas: 0 })).toBe(false);
  expect(seen(2, 1, {}, { updatedReplicas: 1 })).toBe(true);
});

test("one that is paused gets no new pods, and is not waited for; nor does a refresh ask for them", () => {
  expect(seen(1, 1, { paused: true }, {})).toBe(true);
  expect(seen(1, 1, {}, {}, true)).toBe(true);
});
