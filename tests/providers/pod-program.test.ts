import { jest } from "@jest/globals";
import { bundledProgram } from "../../lib/own-bundle.ts";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { programDigest } from "../../lib/kube/program-object.ts";
import { provider } from "../../providers/pod-program-impl.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";

jest.setTimeout(120_000);

let server: ApiServer;
let client: KubeClient;
beforeAll(async () => {
  server = await startApiServer();
  client = await connect(server.kubeconfig);
});
afterAll(() => server?.stop());

const path = "/api/v1/namespaces/default/configmaps/etcd-backup-program";

test("a program is there whole, is seen to be changed or gone, comes back, and goes", async () => {
  const { sha256 } = bundledProgram("lib/backup/main.ts").file;
  const inputs = {
    kubeconfig: server.kubeconfig,
    namespace: "default",
    name: "etcd-backup-program",
    main: "lib/backup/main.ts",
    sha256,
  };
  const { id, outs } = await provider.create(inputs);
  expect(id).toBe("default/etcd-backup-program");
  expect(JSON.stringify(outs).length).toBeLessThan(20_000);
  expect(programDigest(await client.get(path))).toBe(sha256);
  expect((await provider.read(id, outs)).props).toEqual(outs);

  await client.merge(path, { binaryData: { "program.mjs.gz": Buffer.from("another").toString("base64") } });
  const changed = (await provider.read(id, outs)).props;
  expect((await provider.diff(id, changed, inputs)).changes).toBe(true);
  await provider.update(id, changed, inputs);
  expect(programDigest(await client.get(path))).toBe(sha256);

  await provider.delete(id, outs);
  expect(await client.find(path)).toBeUndefined();
  expect((await provider.read(id, outs)).id).toBeUndefined();
  await provider.delete(id, outs);
});
