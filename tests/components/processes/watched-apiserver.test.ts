/** A real kube-apiserver with the flags that ours gets for its end, and a watch that nobody closes. */
import { watch } from "../../../lib/kube/watch.ts";
import { connect } from "../../../lib/kube/client.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { startApiServer, type ApiServer } from "../../support/api-server.ts";
import { commandLine } from "../support/fake-placement.ts";
import { controlPlaneProcess } from "../support/processes.ts";

let server: ApiServer;

afterAll(async () => server?.stop());

test("an API server ends within seconds although it is watched", async () => {
  const flags = commandLine(controlPlaneProcess("karmada-apiserver")).filter((arg) => arg.startsWith("--shutdown-"));
  server = await startApiServer({ flags: Object.fromEntries(flags.map((flag) => flag.slice(2).split("="))) });
  const client = await connect(server.kubeconfig);
  const events = watch(client, "/api/v1/namespaces", deadlineIn(100));
  await events.next();
  const begun = performance.now();
  const [ended] = await Promise.all([
    server.server.terminate().then(() => (performance.now() - begun) / 1000),
    (async () => {
      for await (const event of events) void event;
    })().catch(() => undefined),
  ]);
  expect(ended).toBeLessThan(10);
}, 120_000);
