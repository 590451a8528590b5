/** The etcd of one deployment through the years: every change is an edit of the stack file and one `up`. */
import { readdir, readFile, rm } from "node:fs/promises";
import { EtcdClient, encode, endOfPrefix } from "../../lib/etcd/client.ts";
import { seededRandom, testSeed } from "../support/seeded-random.ts";
import { killTree } from "./support/kill-tree.ts";
import { eventually, kubectlFor, type Json, type Kubectl } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";
import { Writer } from "./support/etcd-writer.ts";

interface Outputs {
  kubeconfig: string;
  etcd: { clusterId: string; members: { name: string; version: string; healthy: boolean; learner: boolean }[] };
}

const [basePort, otherPort] = [20000, 21000];
const otherAddress = "127.0.0.2";

let stack: TestStack;
let client: EtcdClient;
let writer: Writer;
let uid: string;
let clusterId: string;

beforeAll(async () => {
  const members = [{ name: "member1", credentials: { kind: "simulated" } }];
  stack = await TestStack.create({ etcd: etcd({ members: 1 }), members }, basePort);
  await stack.up();
  uid = await kubeSystem();
  clusterId = (await stack.outputs<Outputs>()).etcd.clusterId;
  const file = (name: string) => readFile(`${stack.directory}/karmada-apiserver/pki/${name}`, "utf8");
  const [ca, certificate, key] = await Promise.all(
    ["etcd/ca.crt", "apiserver-etcd-client.crt", "apiserver-etcd-client.key"].map(file),
  );
  client = new EtcdClient({ ca: ca!, certificate: certificate!, key: key! });
  writer = new Writer(client, allEndpoints);
}, 300_000);

afterAll(async () => {
  await writer?.stop();
  client?.close();
  await stack?.remove();
}, 180_000);

/** Of every member there may be, before and after the move. */
const allEndpoints = [0, 1, 2, 3, 4].flatMap((i) => [
  `https://127.0.0.1:${basePort + 30 + 3 * i}`,
  `https://${otherAddress}:${otherPort + 30 + 3 * i}`,
]);

test("from one member to three: the preview says how, and the API servers learn of them", async () => {
  stack.config["etcd"] = etcd({ members: 3 });
  const preview = await stack.preview("--save-plan", stack.savedPlan);
  expect(preview.text).toMatch(/add etcd-1 at https:\/\/127\.0\.0\.1:20034 as a learner/);
  const { longestGap } = await during(() => stack.up("--plan", stack.savedPlan));
  console.log(`1 to 3 members: longest gap between writes ${longestGap} ms`);
  await isWell(["etcd-0", "etcd-1", "etcd-2"]);
  expect(await etcdServers()).toBe([20030, 20033, 20036].map((port) => `https://127.0.0.1:${port}`).join());
}, 300_000);

test("to five, with a run that dies after it has added a member: the next one goes on, with nothing doubled", async () => {
  stack.config["etcd"] = etcd({ members: 5 });
  const env = { KARMADA_FAIL_AT: "membership/added" };
  const killed = await stack.pulumi(["up", "--yes", "--skip-preview"], { env });
  expect(killed.exitCode).not.toBe(0);
  const { longestGap } = await during(() => stack.up());
  console.log(`3 to 5 members: longest gap between writes ${longestGap} ms`);
  await isWell(["etcd-0", "etcd-1", "etcd-2", "etcd-3", "etcd-4"]);
}, 300_000);

test("back to three, by name, with a run that dies at any moment: those that go leave nothing behind", async () => {
  stack.config["etcd"] = etcd({ members: ["etcd-0", "etcd-2", "etcd-4"] });
  await dieAtRandom();
  const { longestGap } = await during(() => stack.up());
  console.log(`5 to 3 members: longest gap between writes ${longestGap} ms`);
  await isWell(["etcd-0", "etcd-2", "etcd-4"]);
  await hasNothingToDo();
  const left = await readdir(stack.directory);
  expect(left.filter((name) => name.startsWith("etcd-"))).toEqual(["etcd-0", "etcd-2", "etcd-4"]);
  expect(await etcdServers()).toBe([20030, 20036, 20042].map((port) => `https://127.0.0.1:${port}`).join());
}, 300_000);

test("one more argument restarts every member, one after another, and nothing else", async () => {
  const before = await stack.processes();
  stack.config["etcd"] = etcd({ members: ["etcd-0", "etcd-2", "etcd-4"], extraArgs: { "log-level": "warn" } });
  const { longestGap } = await during(() => stack.up());
  const started = (await stack.processes()).filter(({ pid }) => !before.some((process) => process.pid === pid));
  expect(started.map(({ command }) => /--name=(\S+) .*--log-level=warn/.exec(command)?.[1]).sort()).toEqual([
    "etcd-0",
    "etcd-2",
    "etcd-4",
  ]);
  await isWell(["etcd-0", "etcd-2", "etcd-4"]);
  console.log(`rolling restart: longest gap between writes ${longestGap} ms`);
  expect(longestGap).toBeLessThan(2500);
}, 300_000);

test("a member whose disk was wiped is replaced", async () => {
  const [victim] = (await stack.processes()).filter(({ command }) => command.includes("--name=etcd-2 "));
  process.kill(victim!.pid, "SIGKILL");
  await rm(`${stack.directory}/etcd-2/data`, { recursive: true });
  stack.config["etcd"] = { ...(stack.config["etcd"] as object), replace: { "etcd-2": 1 } };
  const { longestGap } = await during(() => stack.up());
  console.log(`replacing a wiped member: longest gap between writes ${longestGap} ms`);
  await isWell(["etcd-0", "etcd-2", "etcd-4"]);
  await hasNothingToDo();
}, 300_000);

test("a patch upgrade brings every member to the new version", async () => {
  stack.config["versions"] = { etcd: "3.6.8" };
  const preview = await stack.preview("--save-plan", stack.savedPlan);
  expect(preview.text).toContain("etcd 3.6.6 to 3.6.8");
  const { longestGap } = await during(() => stack.up("--plan", stack.savedPlan));
  console.log(`3.6.6 to 3.6.8: longest gap between writes ${longestGap} ms`);
  const { etcd: seen } = await stack.outputs<Outputs>();
  expect(seen.members.map(({ version }) => version)).toEqual(["3.6.8", "3.6.8", "3.6.8"]);
  await isWell(["etcd-0", "etcd-2", "etcd-4"]);
}, 300_000);

test("the whole deployment moves to other ports and another address, with all that it holds", async () => {
  stack.config["placement"] = {
    kind: "local",
    directory: stack.directory,
    basePort: otherPort,
    address: otherAddress,
  };
  const { longestGap } = await during(() => stack.up());
  console.log(`move: longest gap between writes ${longestGap} ms`);
  await isWell(["etcd-0", "etcd-2", "etcd-4"]);
  await hasNothingToDo();
  expect(await etcdServers()).toBe([21030, 21036, 21042].map((port) => `https://127.0.0.2:${port}`).join());
  await withKubectl(async (kubectl) => {
    await eventually(
      () => kubectl.get("cluster", "member1"),
      (cluster) => cluster.status.conditions.some((c: Json) => c.type === "Ready" && c.status === "True"),
      60,
    );
  });
}, 300_000);

test("no write that was acknowledged is lost", async () => {
  const written = await writer.stop();
  expect(written.length).toBeGreaterThan(1000);
  const { kvs = [] } = await client.call<{ kvs?: { key: string }[] }>(
    `https://${otherAddress}:${otherPort + 30}`,
    "kv/range",
    { key: encode(Writer.prefix), rangeEnd: endOfPrefix(Writer.prefix), keysOnly: true },
    10_000,
  );
  const there = new Set(kvs.map(({ key }) => Buffer.from(key, "base64").toString()));
  expect(written.filter((key) => !there.has(key))).toEqual([]);
  console.log(`${written.length} writes, none lost`);
});

function etcd(more: object): object {
  return { kind: "managed", ...more };
}

/** Begins an `up` and kills all of pulumi while it may be about anything. */
async function dieAtRandom(): Promise<void> {
  const seed = testSeed();
  const moment = Math.round(2000 + 6000 * seededRandom(seed)());
  await stack.preview();
  const up = stack.start(["up", "--yes", "--skip-preview"]);
  await new Promise((resolve) => setTimeout(resolve, moment));
  await killTree(up.pid!);
  await up;
  console.log(`pulumi up killed after ${moment} ms; once more: KARMADA_TEST_SEED=${seed}`);
}

/** Runs something under load and tells how long clients waited for a write at most. */
async function during(work: () => Promise<unknown>): Promise<{ longestGap: number }> {
  writer.beginPeriod();
  await work();
  return { longestGap: writer.longestGap() };
}

/** These members and no others are healthy voters of the same cluster as ever. */
async function isWell(names: string[]): Promise<void> {
  const outputs = await stack.outputs<Outputs>();
  expect(outputs.etcd.members.map(({ name, healthy, learner }) => ({ name, healthy, learner }))).toEqual(
    names.map((name) => ({ name, healthy: true, learner: false })),
  );
  expect(outputs.etcd.clusterId).toBe(clusterId);
  expect(await kubeSystem()).toBe(uid);
}

const hasNothingToDo = () => stack.successfully(["preview", "--expect-no-changes"]);

const kubeSystem = () =>
  withKubectl(async (kubectl) => (await kubectl.get("namespace", "kube-system")).metadata.uid as string);

async function withKubectl<T>(look: (kubectl: Kubectl) => Promise<T>): Promise<T> {
  const { kubectl, remove } = await kubectlFor((await stack.outputs<Outputs>()).kubeconfig);
  try {
    return await look(kubectl);
  } finally {
    await remove();
  }
}

/** What the Karmada API server was told. */
async function etcdServers(): Promise<string | undefined> {
  const servers = (await stack.processes()).map(({ command }) =>
    /--etcd-servers=(\S+) --etcd-prefix=\/registry /.exec(command),
  );
  return servers.find((found) => found !== null)?.[1];
}
