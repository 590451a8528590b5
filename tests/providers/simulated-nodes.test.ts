import { jest } from "@jest/globals";
import { kwokStages } from "../../components/processes/kwok-stages.ts";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { provider } from "../../providers/simulated-nodes-impl.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";

jest.setTimeout(120_000);

describe("simulated nodes in a real cluster with KWOK", () => {
  let server: ApiServer;
  let client: KubeClient;

  beforeAll(async () => {
    server = await startApiServer();
    client = await connect(server.kubeconfig);
    await server.programs.start("kwok", {
      kubeconfig: server.programs.write("kwok.kubeconfig", server.kubeconfig),
      config: server.programs.write("stages.yaml", kwokStages),
      "manage-all-nodes": true,
      "server-address": "127.0.0.1:31790",
      "node-lease-duration-seconds": 40,
    });
  });
  afterAll(() => server.stop());

  const inputs = (count: number, cpu = "32") => ({
    kubeconfig: server.kubeconfig,
    cluster: "paris",
    count,
    cpu,
    memory: "256Gi",
    pods: "110",
    timeoutSeconds: 30,
  });
  const nodes = async () => {
    const { items } = await client.get<{ items: { metadata: { name: string }; status: object }[] }>("/api/v1/nodes");
    return items.map(({ metadata }) => metadata.name);
  };

  test("are made and Ready, with what they are said to have; again is no change", async () => {
    const { outs } = await provider.create(inputs(2));
    expect(outs.nodes).toEqual(["paris-node-0", "paris-node-1"]);
    const node = await client.get("/api/v1/nodes/paris-node-0");
    expect(node.status.capacity).toEqual({ cpu: "32", memory: "256Gi", pods: "110" });
    expect(node.metadata?.annotations).toMatchObject({ "kwok.x-k8s.io/node": "fake" });
    expect((await provider.read("x", outs)).props).toEqual(outs);
    expect((await provider.update("x", outs, inputs(2))).outs).toEqual(outs);
    expect((await client.get("/api/v1/nodes/paris-node-0")).metadata?.uid).toBe(node.metadata?.uid);
  });

  test("grow, shrink, change their size, and leave foreign nodes alone", async () => {
    await client.create("/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "theirs" } });
    expect((await provider.update("x", {}, inputs(3, "64"))).outs.nodes).toEqual([
      "paris-node-0",
      "paris-node-1",
      "paris-node-2",
    ]);
    expect((await client.get("/api/v1/nodes/paris-node-0")).status.capacity.cpu).toBe("64");
    await provider.update("x", {}, inputs(1, "64"));
    expect(await nodes()).toEqual(["paris-node-0", "theirs"]);
  });

  test("one that somebody deleted is drift, and comes back", async () => {
    const { outs } = await provider.update("x", {}, inputs(2));
    await client.delete("/api/v1/nodes/paris-node-1");
    const seen = await provider.read("x", outs);
    expect(seen.props).toMatchObject({ nodes: ["paris-node-0"], drift: ["paris-node-1: is gone"] });
    expect((await provider.update("x", seen.props, inputs(2))).outs).toEqual(outs);
  });

  test("that an earlier release has made without the cluster's name are no drift, and give way to those with it", async () => {
    await provider.delete("x", inputs(1));
    const { cluster: _, ...earlier } = inputs(1);
    const { outs } = await provider.create(earlier as never);
    expect(outs.nodes).toEqual(["node-0"]);
    expect((await provider.read("x", outs)).props).toEqual(outs);
    expect(await provider.diff("x", outs, inputs(1))).toMatchObject({ changes: true, replaces: [] });
    await provider.update("x", outs, inputs(1));
    expect(await nodes()).toEqual(["paris-node-0", "theirs"]);
  });

  test("are gone after delete, which can be repeated", async () => {
    await provider.delete("x", inputs(2));
    await provider.delete("x", inputs(2));
    expect(await nodes()).toEqual(["theirs"]);
  });

  test("a count that is none is refused in the preview", async () => {
    const reason = "got 1.5, want 0 or a larger whole number";
    expect((await provider.check({}, inputs(1.5))).failures).toEqual([{ property: "count", reason }]);
  });
});
