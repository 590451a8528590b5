import { newestPods } from "../../../../../components/placement/newest-pods.ts";
import type { KubeObject } from "../../../../../toolchain/plugins/kubernetes/object.ts";
import { ruleOf } from "../../../../../toolchain/plugins/kubernetes/ready/rules.ts";

const revision = { "deployment.kubernetes.io/revision": "1" };
const minimum = {
  type: "Available",
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability.",
};

/** What is shown and what is missing of a Deployment that is waited for as those of a deployment are, with one pod at most. */
function told(conditions: object[], pod?: object) {
  const object = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "karmada-search",
      namespace: "fleet",
      uid: "of-it",
      annotations: { ...revision, "pulumi.com/waitFor": newestPods(1) },
    },
    spec: { replicas: 1 },
    status: { updatedReplicas: 0, replicas: 0, availableReplicas: 0, conditions: [minimum, ...conditions] },
  } as unknown as KubeObject;
  const owned = (uid: string) => ({ namespace: "fleet", ownerReferences: [{ uid }] });
  const replicaSet = { metadata: { ...owned("of-it"), uid: "of-set", annotations: revision } };
  const pods = pod === undefined ? [] : [{ metadata: { ...owned("of-set"), name: "karmada-search-1" }, status: pod }];
  const related: Record<string, object[]> = { ReplicaSet: [replicaSet], Pod: pods };
  const { status = [], problems = [] } = ruleOf(object)!.judge({
    object,
    written: object,
    previous: undefined,
    related: (kind) => (related[kind] ?? []) as KubeObject[],
    isListed: () => true,
    waitedMs: 0,
    quietMs: undefined,
    once: false,
    gone: false,
  });
  return { warnings: status.filter(([severity]) => severity === "warning").map(([, message]) => message), problems };
}

const missing = [`[${minimum.reason}] ${minimum.message}`, "Minimum number of live Pods was not attained"];

test("a Deployment whose pods are refused says by whom, while it is waited for and in the end", () => {
  const message = 'pods "karmada-search-1" is forbidden: failed quota: cpus: must specify limits.cpu for: tools';
  const { warnings, problems } = told([{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message }]);
  expect(warnings).toEqual([`[FailedCreate] ${message}`]);
  expect(problems).toEqual([...missing, `[FailedCreate] ${message}`]);
});

test("one whose pod no node takes says what the scheduler says", () => {
  const message = "0/3 nodes are available: 3 Insufficient cpu.";
  const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }];
  const { warnings, problems } = told([], { phase: "Pending", conditions });
  expect(warnings).toEqual([`[Pod fleet/karmada-search-1]: [Unschedulable] ${message}`]);
  expect(problems).toEqual([...missing, `[Pod fleet/karmada-search-1]: [Unschedulable] ${message}`]);
});

test("one whose image cannot be had says so before the time for it is over", () => {
  const ready = { type: "Ready", status: "False", reason: "ContainersNotReady", message: "unready: [app]" };
  const conditions = [{ type: "PodScheduled", status: "True" }, { type: "Initialized", status: "True" }, ready];
  const waiting = { reason: "ErrImagePull", message: "no match for platform in manifest" };
  const { warnings } = told([], {
    phase: "Pending",
    conditions,
    containerStatuses: [{ name: "app", state: { waiting } }],
  });
  expect(warnings).toEqual([
    "[Pod fleet/karmada-search-1]: unready: [app][ErrImagePull] no match for platform in manifest",
  ]);
});
