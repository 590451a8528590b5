import { jest } from "@jest/globals";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { provider } from "../../providers/owned-namespace-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";
import { namespaceInputs } from "../support/namespace-inputs.ts";

jest.setTimeout(150_000);

let server: ApiServer;
let client: KubeClient;
let inputs: Record<string, unknown>;

beforeAll(async () => {
  server = await startApiServer({ controllerManager: true });
  client = await connect(server.kubeconfig);
  inputs = {
    ...namespaceInputs(server.kubeconfig),
    pods: { nodeSelector: {}, tolerations: [{ operator: "Exists" }], apart: {}, required: false },
  };
  await client.create("/api/v1/nodes", { metadata: { name: "node" } });
});
afterAll(() => server?.stop());
beforeEach(beginRun);

const reasons = async (more: object = {}) =>
  ((await provider.check({}, { ...inputs, ...more })).failures ?? []).map(({ reason }) => reason);
/** Without these the namespace takes no pod. */
const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
const ofPod = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };

const namespace = () => client.find("/api/v1/namespaces/fleet");

test("a namespace is made once, found again, missed when it is gone, and gone with what is in it when it is deleted", async () => {
  expect(await reasons()).toEqual([]);
  expect(await namespace()).toBeUndefined();
  const { id, outs } = await provider.create(inputs);
  const made = await namespace();
  expect([id, outs["uid"]]).toEqual(["fleet", made?.metadata?.uid]);
  expect((await provider.create(inputs)).outs).toEqual(outs);
  expect((await provider.read(id, outs)).props).toEqual(outs);

  const labels = { app: "web" };
  await client.create("/apis/apps/v1/namespaces/fleet/deployments", {
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "web", image: "web", securityContext }], securityContext: ofPod },
      },
    },
  });
  await client.create("/api/v1/namespaces/fleet/persistentvolumeclaims", {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await waitFor("a pod of the Deployment", deadlineIn(30), async () => {
    const { items } = await client.get<{ items: object[] }>("/api/v1/namespaces/fleet/pods");
    return items.length > 0 ? undefined : new Pending("there is none");
  });
  await provider.delete(id, outs); // at the end of a run that was to replace it
  expect(await namespace()).toEqual(made);
  beginRun();
  await provider.delete(id, outs);
  expect(await namespace()).toBeUndefined();
  expect((await provider.read(id, outs)).id).toBeUndefined();
});

test("the pods of a namespace are held to the same again where somebody has changed its label", async () => {
  const { id, outs } = await provider.create(inputs);
  const path = "/api/v1/namespaces/fleet";
  await client.merge(path, { metadata: { labels: { "pod-security.kubernetes.io/enforce": "privileged" } } });
  const { props } = await provider.read(id, outs);
  const want = "pod-security.kubernetes.io/enforce: got privileged, want restricted";
  expect(props).toMatchObject({ drift: [want] });
  expect((await provider.diff(id, props, inputs)).changes).toBe(true);
  await provider.update(id, props, inputs);
  expect((await namespace())?.metadata?.labels).toMatchObject({ "pod-security.kubernetes.io/enforce": "restricted" });
  expect((await provider.read(id, outs)).props).toEqual(outs);
  beginRun();
  await provider.delete(id, outs);
});

test("a namespace of others is refused in the preview, never taken over, and not deleted", async () => {
  await client.create("/api/v1/namespaces", { metadata: { name: "fleet" } });
  const taken = '"fleet" is there already and was not made by this program, want one of its own';
  expect(await reasons()).toEqual([taken]);
  await expect(provider.create(inputs)).rejects.toThrow(`namespace: ${taken}`);
  beginRun();
  await provider.delete("fleet", inputs);
  expect(await namespace()).toMatchObject({ metadata: { name: "fleet" } });

  await client.merge("/api/v1/namespaces/fleet", {
    metadata: { annotations: { "karmada-pulumi/deployment": "prod" } },
  });
  expect(await reasons()).toEqual([
    '"fleet" is there already and belongs to the deployment "prod", want one of its own',
  ]);
  await client.delete("/api/v1/namespaces/fleet");
});

test("a namespace of others that is being deleted is waited for, and is ours then", async () => {
  const ending = { ...inputs, namespace: "ending" };
  const found = () => client.find("/api/v1/namespaces/ending");
  await client.create("/api/v1/namespaces", { metadata: { name: "ending" } });
  const held = { metadata: { name: "held", finalizers: ["example.org/held"] } };
  await client.create("/api/v1/namespaces/ending/configmaps", held);
  const { uid } = (await found())?.metadata ?? {};
  await client.delete("/api/v1/namespaces/ending");

  expect(await reasons({ namespace: "ending" })).toEqual([]);
  await expect(provider.create({ ...ending, timeoutSeconds: 1 })).rejects.toThrow(
    "waited 1s for the previous namespace ending to be gone",
  );
  expect((await found())?.metadata?.uid).toBe(uid);
  const made = provider.create(ending);
  await client.merge("/api/v1/namespaces/ending/configmaps/held", { metadata: { finalizers: null } });
  expect((await made).outs["uid"]).not.toBe(uid);
  beginRun();
  await provider.delete("ending", ending);
});

test("a namespace of another stack's deployment of the same name is neither taken over nor deleted, as soon as it is marked", async () => {
  const { deployment } = inputs as { deployment: string };
  const unmarked = { ...inputs, namespace: "same" };
  const mine = { ...unmarked, instance: "mine" };
  const found = () => client.find("/api/v1/namespaces/same");
  const reasonsOf = (more: object = {}) => reasons({ namespace: "same", ...more });
  // As an earlier version left it.
  const { outs } = await provider.create(unmarked);
  expect(await reasonsOf()).toEqual([]);
  expect(await reasonsOf({ instance: "mine" })).toEqual([]);
  await provider.update("same", outs, mine);
  expect((await found())?.metadata?.annotations).toMatchObject({ "karmada-pulumi/instance": "mine" });
  expect(await reasonsOf({ instance: "mine" })).toEqual([]);

  const theirs = `"same" is there already and belongs to the deployment "${deployment}" of another stack, want one of its own; should that stack be lost: kubectl annotate namespace same karmada-pulumi/instance-`;
  // What tells them apart is known in no first preview.
  for (const more of [{}, { instance: "another" }]) expect(await reasonsOf(more)).toEqual([theirs]);
  const others = { ...unmarked, instance: "another" };
  await expect(provider.create(others)).rejects.toThrow(`namespace: ${theirs}`);
  expect((await provider.read("same", { ...others, ...outs, instance: "another" })).id).toBeUndefined();
  beginRun();
  await provider.delete("same", others);
  expect((await found())?.metadata?.deletionTimestamp).toBeUndefined();
  await provider.delete("same", mine);
  expect(await found()).toBeUndefined();
});

test("a kubeconfig that leads to another cluster is refused before anything is changed, and one that leads to the same is not", async () => {
  const there = { ...inputs, namespace: "moved", clusterIdentifier: "dev" };
  const { outs } = await provider.create(there);
  const uid = (await client.get("/api/v1/namespaces/moved")).metadata!.uid!;
  // Another text of the same kubeconfig, as with another address.
  const elsewhere = { ...there, kubeconfig: `${server.kubeconfig}\n` };
  expect(await provider.diff("moved", outs, elsewhere)).toMatchObject({ changes: true, replaces: [] });
  const wayOut = `set placement.credentials back, or, to begin anew there without its data, run \`pulumi destroy\` with the previous ones first (with PULUMI_K8S_DELETE_UNREACHABLE=true where that cluster is gone for good)`;
  const refused = async (olds: object, news: object, found: string) => {
    const message = `${(olds as typeof there).namespace}: the kubeconfig leads to another cluster than the one the deployment is in (${found})\n${wayOut}`;
    await expect(provider.diff("moved", olds, news)).rejects.toThrow(message);
    await expect(provider.update("moved", olds, news)).rejects.toThrow(message);
  };
  await refused({ ...outs, uid: "another" }, elsewhere, `UID of the namespace ${uid}, was another`);
  const gone = { ...outs, namespace: "absent" };
  const otherAddress = server.kubeconfig.replace(
    /(server"?: *"?https[^",\n]*"?)/,
    '$1, "tls-server-name": "127.0.0.1"',
  );
  expect(otherAddress).not.toBe(server.kubeconfig);
  await refused(gone, { ...there, namespace: "absent", kubeconfig: otherAddress }, "it has no such namespace");
  // Other credentials at the same address: somebody has deleted it, and a refresh says so.
  expect(await provider.diff("moved", gone, { ...elsewhere, namespace: "absent" })).toMatchObject({ changes: true });
  expect(await client.find("/api/v1/namespaces/absent")).toBeUndefined();
  // What does not answer says so when it is asked to change something.
  const silent = { ...elsewhere, kubeconfig: server.kubeconfig.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1") };
  expect(await provider.diff("moved", outs, silent)).toMatchObject({ changes: true });
  beginRun();
  await provider.delete("moved", outs);
});

test("another server or authority is refused as long as the state does not know the identifier that keeps objects from being replaced", async () => {
  const news = { ...inputs, clusterIdentifier: "dev" };
  const reasonsAfter = async (olds: object) =>
    ((await provider.check(olds, news)).failures ?? []).map((each) => each.reason);
  const elsewhere = { ...inputs, kubeconfig: server.kubeconfig.replace("127.0.0.1", "localhost") };
  expect(await reasonsAfter(inputs)).toEqual([]);
  expect(await reasonsAfter({ ...elsewhere, clusterIdentifier: "dev" })).toEqual([]);
  expect(await reasonsAfter(elsewhere)).toEqual([
    `the state is of an earlier version, which would replace all objects for a kubeconfig with another server or authority\nrun \`up\` once with the previous kubeconfig`,
  ]);
});

test("another namespace is refused before the one with the data would be deleted for it", async () => {
  const { failures } = await provider.check(inputs, { ...inputs, namespace: "other" });
  expect(failures).toEqual([
    {
      property: "namespace",
      reason:
        "the deployment is in fleet and cannot move to other\nset placement.namespace back, or, to begin anew without its data, run `pulumi destroy` first",
    },
  ]);
});

test("a kubeconfig of the state that is refused by now is no reason to forget what it led to: `up` takes over another", async () => {
  const { id, outs } = await provider.create(inputs);
  beginRun();
  const users = [{ name: "test", user: { token: "ended" } }];
  const ended = { ...outs, kubeconfig: JSON.stringify({ ...(JSON.parse(server.kubeconfig) as object), users }) };
  const refused = /401 .*\nthese credentials are of the last `up`\nan `up` takes over what has replaced them: /;
  await expect(provider.read(id, ended)).rejects.toThrow(refused);
  await expect(provider.delete(id, ended)).rejects.toThrow(refused);
  const { outs: taken } = await provider.update(id, ended, inputs);
  beginRun();
  await provider.delete(id, taken!);
  expect(await namespace()).toBeUndefined();
});
