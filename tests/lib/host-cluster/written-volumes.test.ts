import { judgeWrittenVolumes } from "../../../lib/host-cluster/written-volumes.ts";
import { connect, type KubeClient } from "../../../lib/kube/client.ts";
import { startApiServer, type ApiServer } from "../../support/api-server.ts";

const volumes = "/api/v1/persistentvolumes";

let server: ApiServer;
let client: KubeClient;
beforeAll(async () => {
  server = await startApiServer();
  client = await connect(server.kubeconfig);
}, 60_000);
afterAll(() => server?.stop());

const good = {
  capacity: { storage: "1Gi" },
  accessModes: ["ReadWriteMany"],
  persistentVolumeReclaimPolicy: "Retain",
  nfs: { server: "nfs.example.org", path: "/backup" },
};

const make = (name: string, spec: object = {}) =>
  client.create(volumes, { metadata: { name }, spec: { ...good, ...spec } });

async function problemsOf(name: string, storageClass = ""): Promise<string[]> {
  const writtenVolumes = { [name]: { claim: `etcd-backup-${name}`, storageClass } };
  const found = await judgeWrittenVolumes(client, { namespace: "fleet", writtenVolumes });
  expect(found.filter(({ severity, need }) => severity !== "error" || need !== "writtenVolumes")).toEqual([]);
  return found.map(({ message }) => message);
}

test("a volume that is free, or the deployment's already, is taken", async () => {
  await make("free");
  expect(await problemsOf("free")).toEqual([]);
  await make("of-a-class", { storageClassName: "ceph" });
  expect(await problemsOf("of-a-class", "ceph")).toEqual([]);
  await make("held", { claimRef: { namespace: "fleet", name: "etcd-backup-held" } });
  expect(await problemsOf("held")).toEqual([]);
  expect(await judgeWrittenVolumes(client, { namespace: "fleet" })).toEqual([]);
});

test("a volume that is missing is said", async () => {
  expect(await problemsOf("none")).toEqual([
    'PersistentVolume "none" (snapshots.targets): there is none: make one for the file system, with ReadWriteMany and persistentVolumeReclaimPolicy Retain',
  ]);
});

test("all that speaks against a volume is said at once, above all that its data would go with the namespace", async () => {
  await make("unfit", {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "ceph",
    persistentVolumeReclaimPolicy: "Delete",
  });
  expect(await problemsOf("unfit")).toEqual([
    'PersistentVolume "unfit" (snapshots.targets): its accessModes are ReadWriteOnce, want ReadWriteMany among them',
    'PersistentVolume "unfit" (snapshots.targets): its storage class is "ceph", want that in volume.storageClass, got ""',
    'PersistentVolume "unfit" (snapshots.targets): its persistentVolumeReclaimPolicy is Delete, want Retain: with the namespace of the deployment its snapshots would be deleted',
  ]);
});

test("a volume of another claim is refused, and one that was of a former claim is given back by whoever may", async () => {
  await make("theirs", { claimRef: { namespace: "other", name: "data" } });
  expect(await problemsOf("theirs")).toEqual([
    'PersistentVolume "theirs" (snapshots.targets): it is that of the claim other/data, want one that no claim has',
  ]);
  await make("former", { claimRef: { namespace: "fleet", name: "etcd-backup-former", uid: "gone" } });
  await client.merge(`${volumes}/former/status`, { status: { phase: "Released" } });
  expect(await problemsOf("former")).toEqual([
    `PersistentVolume "former" (snapshots.targets): it was that of fleet/etcd-backup-former, which is gone, want one that no claim has; to give it to this one: kubectl patch pv former --type json -p '[{"op":"remove","path":"/spec/claimRef"}]'`,
  ]);
});
