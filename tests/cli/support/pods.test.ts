import { podParts } from "../../../cli/support/pods.ts";
import { type Answering, answering } from "./answering.ts";
import { gathered } from "./gathered.ts";

let cluster: Answering;
afterEach(() => cluster.stop());

const core = "/api/v1/namespaces/karmada";
const pod = (name: string, containerStatuses: object[]) => ({
  metadata: { name },
  spec: { containers: [{ name: "main", env: [{ name: "LOGIN", value: "hunter2" }] }] },
  status: { containerStatuses },
});

test("there are pods without what their variables say, events, and logs, of containers that ended too", async () => {
  cluster = await answering({
    [`${core}/pods`]: {
      items: [
        pod("etcd-0", [{ name: "main", restartCount: 1, state: { running: {} } }]),
        pod("lost", [{ name: "main", restartCount: 0, state: { running: {} } }]),
        pod("waiting", [{ name: "main", restartCount: 0, state: { waiting: { reason: "ErrImagePull" } } }]),
      ],
    },
    [`${core}/pods/etcd-0/log?container=main&sinceSeconds=60&timestamps=true`]: "now\n",
    [`${core}/pods/etcd-0/log?container=main&sinceSeconds=60&timestamps=true&previous=true`]: "before\n",
    [`${core}/events`]: { items: [] },
    "/apis/apps/v1/namespaces/karmada/deployments": { items: [] },
  });
  const { put, lacking } = await gathered(podParts({ kubeconfig: cluster.kubeconfig, namespace: "karmada" }, 60));
  expect(Object.keys(put).sort()).toEqual([
    "host-cluster/karmada/deployments.json",
    "host-cluster/karmada/events.json",
    "host-cluster/karmada/logs/etcd-0/main.log",
    "host-cluster/karmada/logs/etcd-0/main.previous.log",
    "host-cluster/karmada/pods.json",
  ]);
  expect(put["host-cluster/karmada/logs/etcd-0/main.log"]).toBe("now\n");
  expect(put["host-cluster/karmada/logs/etcd-0/main.previous.log"]).toBe("before\n");
  const shown = JSON.stringify(put["host-cluster/karmada/pods.json"]);
  expect(shown).toContain('"env":[{"name":"LOGIN"}]');
  expect(shown).toContain("ErrImagePull");
  expect(lacking).toEqual({
    "host-cluster/karmada/statefulsets.json": expect.stringContaining("404 no such thing"),
    "host-cluster/karmada/logs/lost/main.log": expect.stringContaining("404 no such thing"),
  });
  expect(cluster.asked.filter((url) => url.includes("secrets"))).toEqual([]);
});

test("a host cluster that is not there is named for each part of it", async () => {
  cluster = await answering({});
  await cluster.stop();
  const { put, lacking } = await gathered(podParts({ kubeconfig: cluster.kubeconfig, namespace: "karmada" }, 60));
  expect(put).toEqual({});
  expect(new Set(Object.values(lacking).map((why) => why.replace(/.*: /, "")))).toEqual(
    new Set(["connection refused, nothing listens there"]),
  );
});
