import https from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { isEdited } from "../../../lib/etcd/kubernetes-edited.ts";
import { type PreparedMember, statefulSetOf } from "../../../lib/etcd/kubernetes-member.ts";
import { connect, type KubeClient, type KubeObject } from "../../../lib/kube/client.ts";
import { KubeError } from "../../../lib/kube/error.ts";
import { type ApiServer, startApiServer } from "../../support/api-server.ts";
import { createAuthority } from "../../support/certificates.ts";

const path = "/apis/apps/v1/namespaces/default/statefulsets/etcd-0";
const webhooks = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const container = { name: "etcd", image: "none", args: ["--snapshot-count=1"] };
const template = { metadata: { labels: { app: "etcd-0" } }, spec: { containers: [container] } };
const prepared: PreparedMember = { revision: "r1", template: template as unknown as KubeObject, claim: {} };
const bootstrap = { token: "t", state: "new", initialCluster: "", incarnation: 1 } as const;
const claim = { metadata: { name: "etcd-0-data-1" } };

/** As admission controllers of companies do: each container of a StatefulSet gets an argument more. */
async function startWebhook() {
  const authority = await createAuthority("webhook");
  const leaf = await authority.issue({ commonName: "webhook", hosts: ["127.0.0.1"] });
  const server = https.createServer({ cert: leaf.certificate, key: leaf.key }, (request, response) => {
    void json(request).then((review) => {
      const { uid } = (review as { request: { uid: string } }).request;
      const patch = [{ op: "add", path: "/spec/template/spec/containers/0/args/-", value: "--log-level=warn" }];
      const answer = {
        uid,
        allowed: true,
        patchType: "JSONPatch",
        patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
      };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "arguments" },
    webhooks: [
      {
        name: "arguments.example.org",
        clientConfig: { url, caBundle: Buffer.from(authority.certificate).toString("base64") },
        rules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["statefulsets"] },
        ],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
  return { server, configuration };
}

describe("a member whose arguments the host cluster's admission rewrites", () => {
  let server: ApiServer;
  let client: KubeClient;
  let webhook: Awaited<ReturnType<typeof startWebhook>>;
  beforeAll(async () => {
    server = await startApiServer();
    client = await connect(server.kubeconfig);
    webhook = await startWebhook();
    await client.create(webhooks, webhook.configuration);
    // API servers hear of a webhook a moment after it is written.
    while (argsOf(await apply()).length === 1) await sleep(200);
  }, 120_000);
  afterAll(async () => {
    webhook.server.closeAllConnections();
    webhook.server.close();
    await server?.stop();
  });
  const argsOf = (set: KubeObject) => set["spec"].template.spec.containers[0].args as string[];
  const apply = () => client.apply(path, statefulSetOf("etcd-0", prepared, bootstrap, claim));

  test("is not edited, and is where somebody has edited it before admission", async () => {
    const set = await client.get(path);
    expect(argsOf(set)).toEqual(["--snapshot-count=1", "--log-level=warn"]);
    expect(await isEdited(client, path, set, prepared)).toBe(false);
    const containers = [{ ...container, args: ["--snapshot-count=2"] }];
    const edited = await client.merge(path, { spec: { template: { spec: { containers } } } });
    expect(argsOf(edited)).toEqual(["--snapshot-count=2", "--log-level=warn"]);
    expect(await isEdited(client, path, edited, prepared)).toBe(true);
    // It was only tried.
    expect(argsOf(await client.get(path))).toEqual(["--snapshot-count=2", "--log-level=warn"]);
  });

  test("is edited to who may not try what admission makes of it", async () => {
    const set = await client.get(path);
    const merge = () => Promise.reject(new KubeError("PATCH", path, 403, "forbidden"));
    expect(await isEdited({ merge } as unknown as KubeClient, path, set, prepared)).toBe(true);
  });
});
