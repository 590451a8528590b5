import { readingPod } from "../../../lib/etcd/kubernetes-files-pod.ts";
import type { PreparedMember } from "../../../lib/etcd/kubernetes-member.ts";

const labels = { "app.kubernetes.io/name": "etcd", part: "data" };
const spec = { nodeSelector: { disk: "fast" }, containers: [{ name: "etcd", image: "etcd" }] };
const podOf = (metadata: object) => {
  const prepared = {
    revision: "r1",
    template: { metadata, spec },
    claim: {},
    node: "node",
  } as unknown as PreparedMember;
  return readingPod("etcd-0", prepared, { metadata: { name: "etcd-0-data-1" } }, 60, undefined);
};

test("a pod for the files of a member goes to its nodes, under its annotations, and is no member", () => {
  const annotations = { "sidecar.istio.io/inject": "false" };
  const { metadata, spec: found } = podOf({ labels, annotations });
  expect(metadata).toEqual({
    name: "etcd-0-files",
    labels: { "app.kubernetes.io/name": "etcd-files", "app.kubernetes.io/instance": "etcd-0-files", part: "data" },
    annotations,
  });
  expect(found).toMatchObject({ nodeSelector: { disk: "fast" } });
  expect(podOf({ labels }).metadata).not.toHaveProperty("annotations");
});
