/** An agent is registered by a bootstrap token, at a real API server and what signs for it. */
import { X509Certificate } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { stringify } from "yaml";
import { connect, type KubeClient, type KubeObject } from "../../lib/kube/client.ts";
import { approve } from "../../lib/members/agent-certificate.ts";
import { makeToken } from "../../lib/members/bootstrap-token.ts";
import { makeRequest } from "../../lib/members/certificate-request.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { provider } from "../../providers/agent-certificate-impl.ts";
import { createAuthority } from "../support/certificates.ts";
import { kubeconfigOf, startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { Programs } from "../support/running.ts";

const port = 31990;
const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

jest.setTimeout(120_000);

const programs = new Programs(mkdtempSync(join(tmpdir(), "agent-certificate-")));
let plane: Cluster;

beforeAll(async () => {
  const etcd = await startEtcd(programs, port + 4);
  plane = await startCluster(programs, etcd, { name: "plane", port, signs: true });
}, 240_000);
afterAll(() => programs.remove());

const inputs = (more: object = {}) => ({
  cluster: "m1",
  karmadaKubeconfig: plane.kubeconfig,
  authority: plane.authority.certificate,
  validSeconds: 3600,
  renewBeforeSeconds: 60,
  timeoutSeconds: 60,
  ...more,
});
const named = async (path: string, part: string) => {
  const { items } = await plane.client.get<{ items: KubeObject[] }>(path);
  return items.map(({ metadata }) => metadata?.name ?? "").filter((name) => name.includes(part));
};
/** What an agent's registration makes and is to take away again. */
const left = async () => [
  ...(await named("/api/v1/namespaces/kube-system/secrets", "bootstrap-token")),
  ...(await named(requests, "")),
  ...(await named("/apis/rbac.authorization.k8s.io/v1/clusterroles", "agent-bootstrap")),
  ...(await named("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", "agent-bootstrap")),
];
const asToken = (token: string): Promise<KubeClient> =>
  connect(
    stringify({
      "current-context": "t",
      contexts: [{ name: "t", context: { cluster: "t", user: "t" } }],
      clusters: [
        {
          name: "t",
          cluster: {
            server: plane.server,
            "certificate-authority-data": Buffer.from(plane.authority.certificate).toString("base64"),
          },
        },
      ],
      users: [{ name: "t", user: { token } }],
    }),
  );
const requestOf = (name: string, request: string) => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name },
  spec: {
    request: Buffer.from(request).toString("base64"),
    signerName: "kubernetes.io/kube-apiserver-client",
    usages: ["digital signature", "key encipherment", "client auth"],
  },
});

test("its certificate is the agent's, lets it in as that and for as long as was asked, and nothing is left of how it came", async () => {
  const begin = performance.now();
  const { outs } = await provider.create(inputs());
  console.log(`certified after ${((performance.now() - begin) / 1000).toFixed(2)} s`);
  const { certificate, key, expires } = outs as { certificate: string; key: string; expires: string };
  const hours = (Date.parse(expires) - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(1);
  expect(new X509Certificate(certificate).subject.split("\n").sort()).toEqual([
    "CN=system:karmada:agent:m1",
    "O=system:karmada:agents",
  ]);
  const agent = await connect(kubeconfigOf(plane.server, plane.authority.certificate, { certificate, key }));
  const review = await agent.create("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "SelfSubjectReview",
  });
  expect(review.status.userInfo).toMatchObject({
    username: "system:karmada:agent:m1",
    groups: expect.arrayContaining(["system:karmada:agents"]),
  });
  expect(await left()).toEqual([]);
});

test("it is signed anew with a key of its own by the first up within the time before its end, or for another authority", async () => {
  const { id, outs } = await provider.create(inputs());
  const changes = async (more: object) => (await provider.diff(id, outs, { ...outs, ...inputs(more) })).changes;
  expect(await changes({})).toBe(false);
  expect(await changes({ renewBeforeSeconds: 3500 })).toBe(false);
  expect(await changes({ renewBeforeSeconds: 3700 })).toBe(true);
  expect(await changes({ authority: "another" })).toBe(true);
  const { outs: renewed } = await provider.update(id, outs, inputs({ renewBeforeSeconds: 3700 }));
  expect(renewed["key"]).not.toBe(outs["key"]);
  expect(await left()).toEqual([]);
});

test("an authority that is only trusted beside the one that signs has nothing signed anew, and one that signs not yet is waited for", async () => {
  const { id, outs } = await provider.create(inputs());
  const { certificate: other } = await createAuthority("other");
  const { certificate: own } = plane.authority;
  const { outs: kept } = await provider.update(id, outs, inputs({ authority: `${own.trim()}\n${other}` }));
  expect(kept["certificate"]).toBe(outs["certificate"]);
  const signs = inputs({ authority: `${other.trim()}\n${own}`, timeoutSeconds: 3 });
  await expect(provider.update(id, kept, signs)).rejects.toThrow(
    /for the control plane to sign with the key that signs now: it signs with another one/,
  );
  expect(await left()).toEqual([]);
});

test("of one that was given less time than asked for a third counts, and not every up signs anew", async () => {
  const { certificate } = (await provider.create(inputs())).outs as { certificate: string };
  const expires = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const changes = async (left: number) => {
    const asked = inputs({ validSeconds: 10 * 3600, renewBeforeSeconds: 2 * 3600 });
    return (await provider.diff("m1", { ...asked, certificate, expires: expires(left), schemaVersion: 1 }, asked))
      .changes;
  };
  expect([await changes(1), await changes(0.5), await changes(0.3)]).toEqual([false, false, true]);
});

test("another way to the plane is taken over, by which it is deleted, and the certificate stays", async () => {
  const gone = plane.kubeconfig.replaceAll(`:${port}`, ":1");
  const { id, outs } = await provider.create(inputs());
  const then = { ...outs, karmadaKubeconfig: gone };
  expect((await provider.diff(id, then, { ...outs, ...inputs() })).changes).toBe(true);
  const { outs: now } = await provider.update(id, then, inputs());
  expect([now["karmadaKubeconfig"], now["certificate"]]).toEqual([plane.kubeconfig, outs["certificate"]]);
  await provider.delete("m1", now);
});

test("what fails leaves no token behind, and what an interrupted run has left goes with the next", async () => {
  await expect(provider.create(inputs({ validSeconds: 60 }))).rejects.toThrow(/^m1: .*expirationSeconds/s);
  expect(await left()).toEqual([]);
  await makeToken(plane.client, "m1");
  expect(await left()).toHaveLength(3);
  await provider.delete("m1", inputs());
  expect(await left()).toEqual([]);
});

test("who has the token may ask and no more, is refused what is not asked for by us, and the token ends with its deletion", async () => {
  const { token, user } = await makeToken(plane.client, "m1");
  const holder = await asToken(token);
  // As the token that upstream makes could have: a certificate with every right.
  const { request } = await makeRequest("system:karmada:agent:rbac-generator", "system:karmada:agents");
  const asked = requestOf("generator", request);
  await waitFor("the token to be let in", deadlineIn(30), () => holder.create(requests, asked));
  // Karmada would approve by itself what a token of upstream's group asks for.
  expect((await plane.client.get(`${requests}/generator`)).spec.groups.sort()).toEqual([
    "system:authenticated",
    "system:bootstrappers",
  ]);
  const forbidden = { status: 403 };
  for (const path of [`${requests}/generator`, "/api/v1/namespaces/kube-system/secrets", "/api/v1/namespaces"])
    await expect(holder.get(path)).rejects.toMatchObject(forbidden);

  const own = await makeRequest("system:karmada:agent:m1", "system:karmada:agents");
  const { spec } = requestOf("generator", own.request);
  await expect(
    approve(plane.client, "generator", { ...spec, username: "system:bootstrap:nobody" }, deadlineIn(10)),
  ).rejects.toThrow(
    "certificate request generator is not the one that was made (request, username), and is not approved",
  );
  const { status } = await plane.client.get(`${requests}/generator`);
  expect(status).toEqual({});
  await approve(plane.client, "generator", { ...asked.spec, username: user }, deadlineIn(10));
  await plane.client.delete(`${requests}/generator`);

  await provider.delete("m1", inputs());
  await waitFor("the token to be refused", deadlineIn(30), async () => {
    const refusal = await holder.create(requests, asked).catch((error: { status?: number }) => error.status);
    return refusal === 401 ? undefined : new Pending(`got ${JSON.stringify(refusal)}`);
  });
  expect(await left()).toEqual([]);
});
