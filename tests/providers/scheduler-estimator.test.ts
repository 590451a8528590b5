import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { connect } from "../../lib/kube/client.ts";
import { cleanMember } from "../../lib/members/cleanup.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { provider as accesses } from "../../providers/member-access-impl.ts";
import { createAuthority, type Leaf } from "../support/certificates.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { maxAvailableReplicas } from "../support/estimator-client.ts";
import { startEtcd } from "../support/etcd.ts";
import { startKarmadaPlane, type KarmadaPlane } from "../support/karmada-plane.ts";
import { Programs } from "../support/running.ts";

const port = 31880;
const address = `127.0.0.1:${port + 14}`;

jest.setTimeout(120_000);

describe("a real estimator of a real member", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "estimator-")));
  let plane: KarmadaPlane;
  let member: Cluster;
  let kubeconfig: string;
  let uid: string;
  let planeUid: string;
  let scheduler: Leaf;

  beforeAll(async () => {
    const etcd = await startEtcd(programs, port + 10);
    // Without the node controllers, which would find that nobody is behind the nodes.
    const controllers = "namespace,garbagecollector,serviceaccount-token";
    [plane, member] = await Promise.all([
      startKarmadaPlane(programs, etcd, port),
      startCluster(programs, etcd, { name: "one", port: port + 12, controllers }),
    ]);
    await Promise.all([node("a", "4"), node("b", "3")]);
  }, 240_000);
  afterAll(async () => {
    await programs.remove();
  });

  async function node(name: string, cpu: string): Promise<void> {
    const path = `/api/v1/nodes/${name}`;
    const room = { cpu, memory: "8Gi", pods: "110" };
    await member.client.create("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name } });
    await member.client.merge(`${path}/status`, { status: { capacity: room, allocatable: room } });
    await member.client.merge(path, { spec: { taints: null } });
  }

  const access = () => ({
    cluster: "m1",
    purpose: "estimator" as const,
    declaredBy: "karmada/test" as const,
    karmadaKubeconfig: plane.kubeconfig,
    memberKubeconfig: member.kubeconfig,
    timeoutSeconds: 60,
  });

  test("gets an account that may read what tells how much room there is, and nothing else", async () => {
    const { outs } = await accesses.create(access());
    ({ kubeconfig, uid, planeUid } = outs as Record<"kubeconfig" | "uid" | "planeUid", string>);
    await expect(accesses.create({ ...access(), cluster: "m2" })).rejects.toThrow(
      "m2: the same cluster is joining as m1 at this moment; a cluster joins once",
    );
    const estimator = await connect(kubeconfig);
    for (const path of ["/api/v1/nodes", "/api/v1/pods", "/apis/apps/v1/replicasets", "/apis/apps/v1/deployments"])
      await estimator.get(path);
    await expect(estimator.get("/api/v1/secrets")).rejects.toMatchObject({ status: 403 });
    await expect(estimator.delete("/api/v1/nodes/a")).rejects.toMatchObject({ status: 403 });
  });

  test("counts with that account what fits on the member's nodes", async () => {
    const { authority } = plane;
    const serving = await authority.issue({ commonName: "m1-karmada-scheduler-estimator", hosts: ["127.0.0.1"] });
    scheduler = await authority.issue({ commonName: "system:karmada:karmada-scheduler-grpc" });
    const write = (name: string, text: string) => programs.write(`estimator/${name}`, text);
    await programs.start("karmada-scheduler-estimator", {
      kubeconfig: write("member.config", kubeconfig),
      "cluster-name": "m1",
      "server-port": port + 14,
      "grpc-auth-cert-file": write("server.crt", serving.certificate),
      "grpc-auth-key-file": write("server.key", serving.key),
      "grpc-client-ca-file": write("ca.crt", authority.certificate),
      "metrics-bind-address": "0",
      "health-probe-bind-address": "0",
    });
    const ask = (cpu: string) => maxAvailableReplicas({ address, ca: authority.certificate, ...scheduler }, "m1", cpu);
    expect(await waitFor("the estimator", deadlineIn(60), () => ask("1"))).toBe(7);
    expect(await ask("2")).toBe(3);
    expect(await ask("4")).toBe(1);
    expect(await ask("5")).toBe(0);
    expect(programs.log("karmada-scheduler-estimator")).not.toMatch(/forbidden/i);
  });

  test("answers nobody without a certificate of the control plane", async () => {
    const ca = plane.authority.certificate;
    await expect(maxAvailableReplicas({ address, ca }, "m1", "1")).rejects.toThrow(/UNAVAILABLE/);
    const stranger = await (await createAuthority("stranger")).issue({ commonName: "stranger" });
    await expect(maxAvailableReplicas({ address, ca, ...stranger }, "m1", "1")).rejects.toThrow(/UNAVAILABLE/);
  });

  test("keeps its account when the member leaves, to join again in another mode", async () => {
    expect(await cleanMember(member.client, "m1", deadlineIn(30))).toEqual([]);
    expect((await accesses.read("m1-estimator", { ...access(), kubeconfig })).props).toMatchObject({ kubeconfig });
    expect(await (await connect(kubeconfig)).get("/api/v1/nodes")).toBeDefined();
  });

  test("keeps its account where the kubeconfig leads to another cluster by now", async () => {
    const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
    await accesses.delete("m1-estimator", { ...access(), uid: "another" });
    const said = warn.mock.calls.flat().join("\n");
    warn.mockRestore();
    expect(said).toMatch(`m1: it is another cluster now, ${uid}\n`);
    expect(said).toMatch("service account karmada-scheduler-estimator-m1");
    expect(await (await connect(kubeconfig)).get("/api/v1/nodes")).toBeDefined();
  });

  test("loses its account when it goes, also where the Karmada API has another address by now, and that of another purpose stays", async () => {
    const agent = { ...access(), purpose: "agent" as const };
    await accesses.create(agent);
    const accounts = "/api/v1/namespaces/karmada-cluster/serviceaccounts";
    const metadata = { name: "karmada-m1", annotations: { [`karmada-pulumi/plane-${planeUid}`]: "joined" } };
    await member.client.create(accounts, { metadata });
    const karmadaKubeconfig = plane.kubeconfig.replace(`:${port}`, ":1");
    await accesses.delete("m1-estimator", { ...access(), karmadaKubeconfig, uid, planeUid });
    await member.client.delete(`${accounts}/karmada-m1`);
    expect(await member.client.find(`${accounts}/karmada-scheduler-estimator-m1`)).toBeUndefined();
    expect(await member.client.find(`${accounts}/karmada-agent-m1`)).toBeDefined();
    await waitFor("its token to be refused", deadlineIn(30), async () => {
      const refused = await (await connect(kubeconfig)).get("/api/v1/nodes").catch((error: unknown) => error);
      expect(refused).toMatchObject({ status: 401 });
    });
    await accesses.delete("m1-agent", agent);
    expect(await member.client.find("/api/v1/namespaces/karmada-cluster")).toBeUndefined();
  });
});
