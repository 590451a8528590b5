import { judgeNodes } from "../../../lib/host-cluster/nodes.ts";
import type { KubeClient } from "../../../lib/kube/client.ts";

const taints = [{ key: "os", value: "windows", effect: "NoSchedule" }];
const node = (name: string, os: string, more: object = {}) => ({
  metadata: { name, labels: { "kubernetes.io/os": os } },
  spec: more,
});
const judged = (...items: object[]) =>
  judgeNodes({ get: () => Promise.resolve({ items }) } as unknown as KubeClient, {
    pods: { nodeSelector: {}, tolerations: [], apart: {}, required: false },
  });

const linux = { metadata: { name: "a", labels: {} } };
const clusterOf = (items: object[], provisioned = false) =>
  ({
    get: (_: string, { query }: { query: { labelSelector: string } }) =>
      Promise.resolve({ items: query.labelSelector === "" ? items : [] }),
    find: () => Promise.resolve(provisioned ? {} : undefined),
  }) as unknown as KubeClient;
const needs = (program?: string, nodeSelector: Readonly<Record<string, string>> = {}) => ({
  ...(program !== undefined && { program }),
  nodeSelector,
  tolerations: [],
  apart: {},
  required: false,
});

test("nodes of a program are looked for apart, and it is said whose are missing", async () => {
  const otherPods = [needs("karmada-webhook"), needs("etcd", { disk: "fast" })];
  expect(await judgeNodes(clusterOf([linux]), { pods: needs(), otherPods })).toEqual([
    { severity: "error", need: "pods", message: "no node takes the pods of etcd: none has the labels disk=fast" },
  ]);
});

test("only the nodes of etcd have to be there already for directories of nodes", async () => {
  const severities = async (...otherPods: ReturnType<typeof needs>[]) =>
    (await judgeNodes(clusterOf([], true), { pods: needs(), otherPods, hostPath: true })).map(
      ({ severity, message }) => [severity, message.replace(/:.*/, "")],
    );
  expect(await severities(needs("karmada-webhook"))).toEqual([
    ["error", "no node takes the pods"],
    ["warning", "no node takes the pods of karmada-webhook"],
  ]);
  expect(await severities(needs("etcd"))).toEqual([
    ["warning", "no node takes the pods"],
    ["error", "no node takes the pods of etcd"],
  ]);
});

test("a node without Linux that nothing keeps pods away from is warned of, with what does", async () => {
  expect(await judged(node("a", "linux"), node("b", "windows"))).toEqual([
    {
      severity: "warning",
      need: "pods",
      message:
        'b is no Linux, and no taint keeps pods away that cannot run there: want "kubernetes.io/os: linux" in nodeSelector',
    },
  ]);
  expect(await judged(node("a", "linux"), node("b", "windows", { taints }))).toEqual([]);
});
