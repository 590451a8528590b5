/** The end of a namespace with a pod on a node that is gone, of a real API server with its controllers. */
import { jest } from "@jest/globals";
import { labels } from "../../../lib/etcd/kubernetes-member.ts";
import { dropOwned, ensureOwned } from "../../../lib/host-cluster/owned.ts";
import { connect, type KubeClient } from "../../../lib/kube/client.ts";
import { deadlineIn, waitFor } from "../../../lib/wait.ts";
import { startApiServer, type ApiServer } from "../../support/api-server.ts";

jest.setTimeout(120_000);

let server: ApiServer;
let client: KubeClient;
const owned = { namespace: "fleet", deployment: "dev" };
const inside = "/api/v1/namespaces/fleet";
const pod = `${inside}/pods/etcd-1-0`;

beforeAll(async () => {
  server = await startApiServer({ controllerManager: true });
  client = await connect(server.kubeconfig);
  await client.create("/api/v1/nodes", { metadata: { name: "gone" } });
  await ensureOwned(client, owned, deadlineIn(30));
  await waitFor("the default ServiceAccount", deadlineIn(30), () => client.get(`${inside}/serviceaccounts/default`));
  await client.create(`${inside}/persistentvolumeclaims`, {
    metadata: { name: "etcd-1-data-1" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await client.create(`${inside}/pods`, {
    metadata: { name: "etcd-1-0", labels: { [labels.member]: "etcd-1" } },
    spec: {
      nodeName: "gone",
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "etcd",
          image: "none",
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "etcd-1-data-1" } }],
    },
  });
});
afterAll(() => server?.stop());
afterEach(() => void jest.restoreAllMocks());

test("a pod with data that does not end is named with its node, and with the way to give it up", async () => {
  await expect(dropOwned(client, owned, undefined, 1)).rejects.toThrow(
    "waited 1s for the pods of namespace fleet to be gone: etcd-1-0 on node gone\n" +
      "see that the nodes are well; where a machine is off for good, " +
      "`kubectl --namespace fleet delete pod etcd-1-0 --force`; then run the same again",
  );
  expect(await client.find(pod)).toBeDefined();
});

test("one that should have ended long ago is given up, and the namespace goes", async () => {
  const now = Date.now;
  jest.spyOn(Date, "now").mockImplementation(() => now() + 62_000);
  const log = jest.spyOn(console, "log").mockImplementation(() => {});
  await dropOwned(client, owned, undefined, 60);
  expect(await client.find(inside)).toBeUndefined();
  expect(log.mock.calls).toEqual([["warning: etcd-1: nobody hears of its node gone: its pod there is given up"]]);
});
