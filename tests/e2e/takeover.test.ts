/** One Karmada on its way: built by other programs, taken over, moved elsewhere, and there lost as a whole. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { execa } from "execa";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import { EtcdClient, encode } from "../../lib/etcd/client.ts";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { deadlineIn } from "../../lib/wait.ts";
import { cleanUp } from "../support/clean-up.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd, type EtcdCluster } from "../support/etcd.ts";
import { startKarmadaPlane } from "../support/karmada-plane.ts";
import { programPath } from "../support/programs.ts";
import { Programs } from "../support/running.ts";
import { kill, loseEverything } from "./support/losses.ts";
import { type Identities, Propagation } from "./support/propagation.ts";
import { TestStack } from "./support/stack.ts";
import { takeInto } from "./support/take-snapshot.ts";

jest.setTimeout(300_000);

const port = 28800;
const basePort = 29000;
const movedTo = 30000;

interface Outputs {
  endpoint: string;
  kubeconfig: string;
  etcd: { clusterId: string; overrides: { events: { clusterId: string } } };
  etcdAccess: EtcdAccess;
  afterRestore: object;
}

const others = new Programs(mkdtempSync(join(tmpdir(), "takeover-others-")));
const members = new Programs(mkdtempSync(join(tmpdir(), "takeover-members-")));
const backup = mkdtempSync(join(tmpdir(), "takeover-backup-"));
const nothingLeft = { orphans: [], removed: [], laggingBindings: [], unasked: [] };
let theirs: Cluster;
/** Of a service account of theirs. */
let theirToken: string;
let theirEtcd: EtcdCluster;
let propagation: Propagation;
let before: Identities;
let deleted: Promise<string[]>;
let stopWatching: () => void;
let config: Record<string, unknown>;
let stack: TestStack;
let moved: TestStack;
let event: string | undefined;

beforeAll(async () => {
  const membersEtcd = await startEtcd(members, port);
  theirEtcd = await startEtcd(others, port + 10);
  let member: Cluster;
  [theirs, member] = await Promise.all([
    startKarmadaPlane(others, theirEtcd, port + 20),
    startCluster(members, membersEtcd, { name: "one", port: port + 2 }),
  ]);
  theirToken = await tokenOf(theirs.client);
  await joinByKarmadactl(theirs, member);
  propagation = new Propagation(50, { one: member.client });
  await propagation.begin(theirs.client);
  await propagation.ready(theirs.client, deadlineIn(60));
  before = await propagation.identities(theirs.client);
  ({ deleted, stopWatching } = propagation.watchDeletions(deadlineIn(1000)));
  config = {
    members: [
      {
        name: "one",
        credentials: { kind: "kubeconfigFile", path: members.write("one.kubeconfig", member.kubeconfig) },
      },
    ],
    snapshots: { targets: [{ kind: "local", directory: backup }], beforeChange: "never" },
    pki: {
      authorities: { karmada: { certificate: theirs.authority.certificate, key: theirs.authority.key } },
      serviceAccountKey: readFileSync(join(others.directory, "karmada/sa.key"), "utf8"),
    },
  };
}, 180_000);

afterAll(async () => {
  stopWatching?.();
  await cleanUp(
    () => moved?.remove(),
    () => stack?.remove(),
    () => others.remove(),
    () => members.remove(),
    () => rmSync(backup, { recursive: true, force: true }),
  );
}, 300_000);

test("a Karmada that other programs built is taken over: one up, and everything is who it was, and lets in whom it let in", async () => {
  const file = join(backup, "theirs.db");
  await saveByEtcdctl(theirEtcd, file);
  await others.stop();
  const source = { kind: "file", path: file };
  const restore = { generation: 1, replaceClusterId: "none", allowForeignSnapshot: true, source };
  stack = await TestStack.create({ ...config, etcd: etcd(restore) }, basePort);
  const { plane, outputs } = await broughtUp(stack);
  expect(outputs.afterRestore).toEqual(nothingLeft);
  event = await createEvent(plane);
  expect(await eventsIn(outputs.etcdAccess)).toEqual({ first: 0, events: 1 });
  await propagation.add(plane, "taken-over");
});

test("it moves to another address and other ports: one up, from its own snapshot, and nobody notices", async () => {
  const { etcdAccess } = await stack.outputs<Outputs>();
  await takeInto(backup, etcdAccess);
  await kill(stack);
  moved = await TestStack.create({ ...config, etcd: etcd({ generation: 1, replaceClusterId: "none" }) }, movedTo);
  moved.config["placement"] = {
    kind: "local",
    directory: moved.directory,
    basePort: movedTo,
    address: "127.0.0.2",
  };
  const { plane, outputs } = await broughtUp(moved);
  await stack.forget();
  expect(outputs.endpoint).toBe(`https://127.0.0.2:${movedTo}`);
  expect(outputs.afterRestore).toEqual(nothingLeft);
  expect(await uidOfEvent(plane)).toBe(event);
  await propagation.add(plane, "moved");
});

test("every disk is lost, that of the second etcd too: one edit and one up bring both back", async () => {
  const { etcd: lost, etcdAccess } = await moved.outputs<Outputs>();
  await takeInto(backup, etcdAccess);
  await loseEverything(moved, ["etcd-0", "etcd-events-0"]);
  moved.config["etcd"] = etcd({ generation: 2, replaceClusterId: "none", overrides: { events: "none" } });
  const { plane, outputs } = await broughtUp(moved);
  expect(outputs.etcd.clusterId).not.toBe(lost.clusterId);
  expect(outputs.etcd.overrides.events.clusterId).not.toBe(lost.overrides.events.clusterId);
  expect(outputs.afterRestore).toEqual(nothingLeft);
  expect(await uidOfEvent(plane)).toBe(event);
  await propagation.add(plane, "brought-back");
});

test("no copy was ever deleted in the member", async () => {
  stopWatching();
  expect(await deleted).toEqual([]);
});

const etcd = (restore: object) => ({
  kind: "managed",
  members: 1,
  overrides: [{ name: "events", resources: ["/events"] }],
  restore,
});

/** One `up`, after which all is there as it was, and another one that finds nothing to do. */
async function broughtUp(which: TestStack): Promise<{ plane: KubeClient; outputs: Outputs }> {
  const began = performance.now();
  const { text } = await which.up();
  const slow = text.split("\n").filter((line) => /ed \((\d{2,}|[5-9])s\)/.test(line));
  console.info(`up: ${((performance.now() - began) / 1000).toFixed(1)} s\n${slow.join("\n")}`);
  const outputs = await which.outputs<Outputs>();
  const plane = await connect(outputs.kubeconfig);
  await propagation.ready(plane, deadlineIn(60));
  expect(await propagation.identities(plane)).toEqual(before);
  expect(await knownBy(outputs.endpoint)).toEqual(["admin", "system:serviceaccount:default:robot"]);
  await which.up("--expect-no-changes");
  return { plane, outputs };
}

/** Whom an API server takes those for who have credentials that others issued before. */
async function knownBy(endpoint: string): Promise<string[]> {
  const certificate = JSON.parse(theirs.kubeconfig.replace(theirs.server, endpoint)) as { users: { user: object }[] };
  const token = { ...certificate, users: [{ ...certificate.users[0], user: { token: theirToken } }] };
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const asked = [certificate, token].map(async (kubeconfig) => {
    const { status } = await (await connect(JSON.stringify(kubeconfig))).create(path, review);
    return String(status?.userInfo?.username);
  });
  return Promise.all(asked);
}

async function tokenOf(plane: KubeClient): Promise<string> {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await plane.create(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } });
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 7200 } };
  return String((await plane.create(`${accounts}/robot/token`, request))["status"]?.token);
}

async function joinByKarmadactl(plane: Cluster, member: Cluster): Promise<void> {
  const kubeconfigs = [
    `--kubeconfig=${others.write("plane.kubeconfig", plane.kubeconfig)}`,
    `--cluster-kubeconfig=${others.write("member.kubeconfig", member.kubeconfig)}`,
  ];
  await execa(await programPath("karmadactl"), ["join", "one", ...kubeconfigs]);
}

async function saveByEtcdctl({ endpoints, files }: EtcdCluster, to: string): Promise<void> {
  const connection = [
    `--endpoints=${endpoints.join()}`,
    `--cacert=${files.ca}`,
    `--cert=${files.certificate}`,
    `--key=${files.key}`,
  ];
  await execa(await programPath("etcdctl"), ["snapshot", "save", to, ...connection]);
}

const events = "/api/v1/namespaces/default/events";

async function createEvent(plane: KubeClient): Promise<string | undefined> {
  const { metadata } = await plane.create(events, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "seen" },
    involvedObject: { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "kept-000" },
    type: "Normal",
    reason: "Seen",
  });
  return metadata?.uid;
}

const uidOfEvent = async (plane: KubeClient): Promise<string | undefined> =>
  (await plane.get(`${events}/seen`)).metadata?.uid;

/** How often each etcd of a deployment has the event. */
async function eventsIn(access: EtcdAccess): Promise<Record<string, number>> {
  const client = new EtcdClient(access);
  const count = async (endpoint: string | undefined) => {
    const key = encode(`${access.prefix}/events/default/seen`);
    const { kvs = [] } = await client.call<{ kvs?: unknown[] }>(endpoint ?? "", "kv/range", { key });
    return kvs.length;
  };
  try {
    return { first: await count(access.endpoints[0]), events: await count(access.parts[0]?.endpoints[0]) };
  } finally {
    client.close();
  }
}
