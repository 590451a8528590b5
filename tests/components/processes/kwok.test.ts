import { jest } from "@jest/globals";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import { filled, type Ref } from "../../../components/process.ts";
import { kwokProcess } from "../../../components/processes/kwok.ts";
import { connect, type KubeClient, type KubeObject } from "../../../lib/kube/client.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { provider as nodes } from "../../../providers/simulated-nodes-impl.ts";
import { type ApiServer, startApiServer } from "../../support/api-server.ts";

jest.setTimeout(120_000);

const kwokPort = 31792;
/** A directory may be called so. */
const directory = "acme, inc/o'brien #1: 50%\\x";
const pods = "/api/v1/namespaces/default/pods";

describe("what KWOK plays in a simulated member", () => {
  let server: ApiServer;
  let client: KubeClient;

  beforeAll(async () => {
    server = await startApiServer({
      flags: { "disable-admission-plugins": "ServiceAccount", "kubelet-preferred-address-types": "InternalIP" },
    });
    client = await connect(server.kubeconfig);
    server.programs.write(`${directory}/stages.yaml`, fileOfKwok("stages.yaml"));
    await server.programs.start("kwok", {
      kubeconfig: server.programs.write("kwok.kubeconfig", server.kubeconfig),
      config: flagOfKwok("config"),
      "manage-all-nodes": true,
      "server-address": `127.0.0.1:${kwokPort}`,
      "node-ip": "127.0.0.1",
      "node-port": kwokPort,
    });
    server.programs.write(`${directory}/pod.log`, fileOfKwok("pod.log"));
    const resources = { cpu: "8", memory: "32Gi", pods: "110" };
    await nodes.create({ kubeconfig: server.kubeconfig, count: 1, ...resources, timeoutSeconds: 30 });
  });
  afterAll(() => server?.stop());

  const access = { path: "kubeconfig", files: {}, certificates: [] };
  const process = kwokProcess({ name: "kwok", version: "0.8.0", access });
  const inDirectory = (ref: Ref) =>
    `${server.programs.directory}/${directory}/${ref.ref === "file" ? ref.file : ref.ref}`;

  /** The text that it is given as a file, in a directory of this server. */
  function fileOfKwok(name: string): string {
    const source = process.files[name];
    if (source?.from !== "text") throw new Error(`${name}: got ${source?.from}, want a text`);
    return filled(source.text, inDirectory);
  }

  function flagOfKwok(name: string): string {
    const all = process.args.map((arg) => filled(arg, inDirectory));
    return all.find((arg) => arg.startsWith(`--${name}=`))!.slice(`--${name}=`.length);
  }

  const bound = (name: string, ...images: string[]) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { nodeName: "node-0", containers: images.map((image, i) => ({ name: `c${i}`, image })) },
  });
  const statesOf = ({ status }: KubeObject): string[] =>
    ((status?.containerStatuses ?? []) as { state: Record<string, { reason?: string }> }[]).map(
      ({ state }) => state["waiting"]?.reason ?? Object.keys(state)[0]!,
    );
  const become = (name: string, phase: string, states: string[]) =>
    waitFor(`${name} to be ${states.join(" and ")}`, deadlineIn(20), async () => {
      const pod = await client.get(`${pods}/${name}`);
      const found = [pod.status?.phase, statesOf(pod)];
      return isDeepStrictEqual(found, [phase, states]) ? undefined : new Pending(JSON.stringify(found));
    });

  test("a node has addresses, and a kubelet's port where KWOK answers", async () => {
    const { status } = await client.get("/api/v1/nodes/node-0");
    expect(status.addresses).toEqual([
      { type: "InternalIP", address: "127.0.0.1" },
      { type: "Hostname", address: "node-0" },
    ]);
    expect(status.daemonEndpoints).toEqual({ kubeletEndpoint: { Port: kwokPort } });
  });

  test("a pod runs, and its log says that it has no containers", async () => {
    await client.create(pods, bound("runs", "shop/web:1"));
    await become("runs", "Running", ["running"]);
    expect(await text(await client.open("GET", `${pods}/runs/log`))).toBe(
      "a simulated cluster runs no containers: its logs are this line\n",
    );
  });

  test.each(["registry.invalid/web", "registry.invalid:5000/shop/web:1", "fake/nginx:1.19.0"])(
    "one whose image is %s waits for it until it is given another",
    async (image) => {
      const name = `waits-${image.replace(/[^a-z0-9]/g, "-")}`;
      await client.create(pods, bound(name, image, "shop/helper"));
      await become(name, "Pending", ["ImagePullBackOff", "ContainerCreating"]);
      const body = [{ op: "replace", path: "/spec/containers/0/image", value: "shop/web:2" }];
      await client.request("PATCH", `${pods}/${name}`, { body, contentType: "application/json-patch+json" });
      await become(name, "Running", ["running", "running"]);
    },
  );

  test.each(["invalid/web", "shop.invalid-names.example/web", "docker.io/fake/web"])(
    "%s can be pulled",
    async (image) => {
      const name = `runs-${image.replace(/[^a-z0-9]/g, "-")}`;
      await client.create(pods, bound(name, image));
      await become(name, "Running", ["running"]);
    },
  );
});
