/** Volumes of members as directories of nodes, of a real API server with its controllers. */
import { jest } from "@jest/globals";
import { ensureClaim } from "../../../lib/etcd/kubernetes-claim.ts";
import { claimName, notes, type PreparedMember } from "../../../lib/etcd/kubernetes-member.ts";
import { dropOwned, ensureOwned } from "../../../lib/host-cluster/owned.ts";
import { connect, type KubeClient, type KubeObject } from "../../../lib/kube/client.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { accountKubeconfig, grant } from "../../support/account-kubeconfig.ts";
import { startApiServer, type ApiServer } from "../../support/api-server.ts";

jest.setTimeout(120_000);

let server: ApiServer;
let client: KubeClient;
const [path, namespace] = ["/srv/etcd", "fleet"];
const owned = { namespace, deployment: "dev" };
const prepared: PreparedMember = {
  revision: "r1",
  template: { spec: { nodeSelector: { etcd: "yes" }, containers: [{ name: "etcd", image: "etcd" }] } },
  claim: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  hostPath: { path, alone: true },
};
const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
const volumes = "/api/v1/persistentvolumes";
const namesOf = async (of: string) =>
  (await client.get<{ items: KubeObject[] }>(of)).items.map(({ metadata }) => metadata?.name).toSorted();
const ensure = (member: string, incarnation: number, how = prepared) =>
  ensureClaim(client, namespace, member, incarnation, how);
const nodeOf = ({ metadata }: KubeObject) => metadata?.annotations?.[notes.node];

beforeAll(async () => {
  server = await startApiServer({ controllerManager: true });
  client = await connect(server.kubeconfig);
  for (const name of ["a", "b", "c", "d"]) {
    const labels = { etcd: name === "d" ? "no" : "yes", "kubernetes.io/hostname": `${name}.example.org` };
    const taints = [{ key: "only", value: "others", effect: "NoSchedule" }];
    await client.create("/api/v1/nodes", { metadata: { name, labels } });
    // What every node is marked with until its kubelet has said that it is ready.
    await client.merge(`/api/v1/nodes/${name}`, { spec: { taints: name === "c" ? taints : null } });
  }
  await ensureOwned(client, owned, deadlineIn(30));
});
afterAll(() => server?.stop());

test("members that begin at the same time get a node each of those that take them, and volumes bound to it", async () => {
  const made = await Promise.all(["etcd-0", "etcd-1"].map((member) => ensure(member, 0)));
  expect(made.map(nodeOf).toSorted()).toEqual(["a", "b"]);
  for (const { metadata } of made) {
    const claim = await waitFor("the claim to be bound", deadlineIn(60), async () => {
      const found = await client.get(`${claims}/${metadata?.name}`);
      return found["status"]?.phase === "Bound" ? found : new Pending(JSON.stringify(found["status"]));
    });
    const volume = await client.get(`${volumes}/${claim["spec"]?.volumeName}`);
    expect(volume["spec"]).toMatchObject({
      local: { path: `${path}/${claim["spec"]?.volumeName}` },
      persistentVolumeReclaimPolicy: "Retain",
      claimRef: { namespace, name: metadata?.name },
    });
    expect(JSON.stringify(volume["spec"]?.nodeAffinity)).toContain(`"${nodeOf(claim)}.example.org"`);
    const made = await client.get(`${volumes}/${claim["spec"]?.volumeName}-made`);
    expect(made["spec"]?.hostPath).toEqual({ path: volume["spec"]?.local.path, type: "DirectoryOrCreate" });
  }
});

test("a node is known by its hostname also to who may do no more than is told in the documentation", async () => {
  const kubeconfig = await accountKubeconfig(client, server.kubeconfig, "deployer");
  const rules = [
    { apiGroups: [""], resources: ["namespaces"], verbs: ["get"] },
    { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["get", "list", "create", "patch"] },
    { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["get", "create", "patch"] },
    { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
  ];
  await grant(client, "deployer", rules);
  const deployer = await connect(kubeconfig);
  const claim = await waitFor("the API server to go by its rights", deadlineIn(10), () =>
    ensureClaim(deployer, namespace, "etcd-leases-0", 0, prepared),
  );
  const volume = await client.get(`${volumes}/${claim["spec"]?.volumeName}`);
  expect(JSON.stringify(volume["spec"]?.nodeAffinity)).toContain(`"${nodeOf(claim)}.example.org"`);
});

test("what is there stays as it is, and what an interrupted run left out is made", async () => {
  const before = await client.get(`${claims}/${claimName("etcd-0", 0)}`);
  const half = `${before["spec"]?.volumeName}-made`;
  await client.delete(`${claims}/${half}`);
  await client.delete(`${volumes}/${half}`);
  await waitFor("half of it to be gone", deadlineIn(60), async () =>
    (await client.find(`${volumes}/${half}`)) === undefined ? undefined : new Pending("it is there"),
  );
  const again = await ensure("etcd-0", 0, { ...prepared, hostPath: { path: "/elsewhere", alone: true } });
  expect(again.metadata?.annotations).toEqual(before.metadata?.annotations);
  expect(await namesOf(volumes)).toContain(half);
  expect(await namesOf(claims)).toContain(half);
});

test("a member that begins again has another directory, on its node; one more is refused while each node has a member", async () => {
  const first = await client.get(`${claims}/${claimName("etcd-0", 0)}`);
  const second = await ensure("etcd-0", 1);
  expect(nodeOf(second)).toBe(nodeOf(first));
  expect(second.metadata?.annotations?.[notes.directory]).not.toBe(first.metadata?.annotations?.[notes.directory]);
  await expect(ensure("etcd-2", 0)).rejects.toThrow(
    'etcd-2: choosing a node for /srv/etcd: 2 take its pod, and each has one of 2 other members\nadd a node, or set placement.antiAffinity to "preferred"',
  );
  // Members of another etcd are in nobody's way, nor is anybody in theirs.
  const others = [await ensure("etcd-events-0", 0), await ensure("etcd-events-1", 0)];
  expect(others.map(nodeOf).toSorted()).toEqual(["a", "b"]);
  const shared = await ensure("etcd-2", 0, { ...prepared, hostPath: { path, alone: false } });
  expect(["a", "b"]).toContain(nodeOf(shared));
  const nowhere = { ...prepared, template: { spec: { nodeSelector: { etcd: "never" }, containers: [] } } };
  await expect(ensure("etcd-3", 0, nowhere)).rejects.toThrow(
    "etcd-3: choosing a node for /srv/etcd: no node takes its pod: none has the labels etcd=never\nlook at placement.nodeSelector and placement.tolerations, or those of placement.pods.etcd",
  );
  expect(await namesOf(claims)).not.toContain(claimName("etcd-3", 0));
});

test("a member whose claim was made by a storage class keeps it until it begins again", async () => {
  const { hostPath: _, ...ofClass } = prepared;
  expect(nodeOf(await ensure("etcd-4", 0, ofClass))).toBeUndefined();
  expect(nodeOf(await ensure("etcd-4", 0, { ...prepared, hostPath: { path, alone: false } }))).toBeUndefined();
  expect(nodeOf(await ensure("etcd-4", 1, { ...prepared, hostPath: { path, alone: false } }))).toBeDefined();
});

test("the namespace takes the volumes along, and it is said where the data are left", async () => {
  const { items } = await client.get<{ items: KubeObject[] }>(claims);
  const left = items.flatMap(({ metadata }) => {
    const { [notes.node]: node, [notes.directory]: directory } = metadata?.annotations ?? {};
    return directory === undefined ? [] : [`${node}: ${directory}`];
  });
  expect(left).toHaveLength(8);
  expect(await dropOwned(client, owned, undefined, 60)).toEqual(left);
  expect(await namesOf(volumes)).toEqual([]);
});
