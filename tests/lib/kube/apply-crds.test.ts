import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "../../../lib/etcd/client.ts";
import { applyCrds } from "../../../lib/kube/apply-crds.ts";
import type { KubeObject } from "../../../lib/kube/client.ts";
import { deadlineIn, waitFor } from "../../../lib/wait.ts";
import { startCluster, type Cluster } from "../../support/cluster.ts";
import { startEtcd, type EtcdCluster } from "../../support/etcd.ts";
import { clientOf } from "../../support/etcd-data.ts";
import { Programs } from "../../support/running.ts";

const programs = new Programs(mkdtempSync(join(tmpdir(), "apply-crds-")));
let etcd: EtcdCluster;
let cluster: Cluster;

beforeAll(async () => {
  etcd = await startEtcd(programs, 16900);
  cluster = await startCluster(programs, etcd, { name: "crds", port: 16910 });
}, 120_000);

afterAll(() => programs.remove());

test("a definition whose API server ended before it served it is served all the same", async () => {
  await applyCrds(cluster.client, [widgets], deadlineIn(30));
  await cluster.apiServer.kill();
  await leaveInstalling();
  await cluster.restart();
  await applyCrds(cluster.client, [widgets], deadlineIn(30));
  const listed = () => cluster.client.get<{ items: unknown[] }>("/apis/example.org/v1/widgets");
  expect((await waitFor("widgets", deadlineIn(30), listed)).items).toEqual([]);
}, 120_000);

const widgets: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.org" },
  spec: {
    group: "example.org",
    scope: "Cluster",
    names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

/** Leaves it as an API server does that has accepted the names and ends then. */
async function leaveInstalling(): Promise<void> {
  const client = clientOf(etcd);
  const key = encode("/crds/apiextensions.k8s.io/customresourcedefinitions/widgets.example.org");
  try {
    const { kvs } = await client.call<{ kvs: { value: string }[] }>(etcd.endpoints[0]!, "kv/range", { key });
    // Byte by byte as it was otherwise: what is written in another way would be written anew by the next one who applies it.
    const established = Buffer.from(kvs[0]!.value, "base64").toString();
    const installing = established.replace(/("type":"Established","status":)"True"/, '$1"False"');
    expect(installing).not.toBe(established);
    await client.call(etcd.endpoints[0]!, "kv/put", { key, value: encode(installing) });
  } finally {
    client.close();
  }
}
