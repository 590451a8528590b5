import { judgeVolumes } from "../../../lib/host-cluster/volumes.ts";
import { connect, type KubeClient } from "../../../lib/kube/client.ts";
import { startApiServer, type ApiServer } from "../../support/api-server.ts";

const gibi = 2 ** 30;
const namespace = "default";
const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;

let server: ApiServer;
let client: KubeClient;
beforeAll(async () => {
  server = await startApiServer();
  client = await connect(server.kubeconfig);
}, 60_000);
afterAll(() => server?.stop());

/** A claim for data of a member, bound to a volume of some size. */
async function bound(member: string, incarnation: number, storage: string, labels: object = {}): Promise<void> {
  const name = `${member}-data-${incarnation}`;
  const own = { "karmada-pulumi/member": member, "karmada-pulumi/incarnation": String(incarnation) };
  await client.create(path, {
    metadata: { name, labels: { ...own, ...labels } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await client.merge(`${path}/${name}/status`, { status: { phase: "Bound", capacity: { storage } } });
}

test("volumes that a database may outgrow are named, by those with the present data", async () => {
  await bound("etcd-0", 1, "10Gi");
  await bound("etcd-1", 9, "10Gi", { "karmada-pulumi/retired": "" });
  await bound("etcd-1", 10, "20Gi");
  await bound("etcd-1", 11, "1Gi", { "karmada-pulumi/restoring": "" });
  const databases = { "etcd-0": 16 * gibi, "etcd-1": 16 * gibi, "etcd-2": 16 * gibi };
  expect(await judgeVolumes(client, { namespace, databases })).toEqual([
    {
      severity: "warning",
      need: "databases",
      message: expect.stringMatching(
        /^the volume of etcd-0 has 10\.0Gi, and its database of up to 16\.0Gi \(etcd\.quota\) with its log does not fit: /,
      ),
    },
  ]);
  expect(await judgeVolumes(client, { namespace, databases: { "etcd-0": 9 * gibi } })).toEqual([]);
  expect(await judgeVolumes(client, { namespace: "none", databases })).toEqual([]);
});
