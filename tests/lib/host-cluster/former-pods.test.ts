import { jest } from "@jest/globals";
import { formerPodsEnd } from "../../../lib/host-cluster/former-pods.ts";
import { connect, type KubeClient } from "../../../lib/kube/client.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { startApiServer, type ApiServer } from "../../support/api-server.ts";
import { rolledOut } from "../../support/former-pod.ts";

jest.setTimeout(60_000);

let server: ApiServer;
let cluster: KubeClient;
beforeAll(async () => {
  server = await startApiServer();
  cluster = await connect(server.kubeconfig);
  await cluster.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
}, 120_000);
afterAll(() => server?.stop());
afterEach(() => jest.restoreAllMocks());

const ended = (instance: string, seconds = 0.5) =>
  formerPodsEnd({ kubeconfig: server.kubeconfig, namespace: "default", instance }, deadlineIn(seconds));

test("a pod of the template before is waited for after the rollout, until its node has reported its end", async () => {
  const { tell, report } = await rolledOut(cluster, "leaving");
  const first =
    "default/leaving: waited 0.5s for the pods of leaving with former settings to end: leaving-first on node node-1";
  await expect(ended("leaving")).rejects.toThrow(`${first} has not been told to end`);
  await tell();
  await expect(ended("leaving")).rejects.toThrow(`${first} is terminating`);
  const waiting = ended("leaving", 30);
  await report();
  await waiting;
});

test("one whose node never reports its end is named at once, with the way to give it up", async () => {
  const { tell } = await rolledOut(cluster, "lost");
  const deletionTimestamp = (await tell()).metadata?.deletionTimestamp ?? "";
  const later = Date.parse(deletionTimestamp) + 61_000;
  jest.spyOn(Date, "now").mockReturnValue(later);
  await expect(ended("lost", 30)).rejects.toThrow(
    "default/lost: pods with former settings may still run: " +
      `lost-first on node node-1 was to end by ${deletionTimestamp}, and its node has not reported that it has\n` +
      "see that the nodes are well; where a machine is off for good, " +
      "`kubectl --namespace default delete pod lost-first --force`; then run up again",
  );
});

test("one that was evicted has ended, though it is still listed", async () => {
  const { evict } = await rolledOut(cluster, "evicted");
  await evict();
  await ended("evicted");
});

test("pods of the present template are not taken for it before the host cluster has seen a change", async () => {
  const { evict, edit } = await rolledOut(cluster, "edited");
  await evict();
  await edit();
  await expect(ended("edited")).rejects.toThrow(
    /^default\/edited: waited 0.5s for the pods of edited with former settings to end: its present template has no pods yet$/,
  );
});

test("a Deployment that is not there is not waited for", async () => {
  await expect(ended("absent", 30)).rejects.toThrow(/^default\/absent: .* 404 deployments.apps "absent" not found$/);
});
