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
