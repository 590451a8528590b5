/** `npm run status` of a stack whose control plane is a server of this test; the pulumi is a script that knows its outputs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { scriptedPulumi } from "../support/scripted-pulumi.ts";

let directory: string;
let env: NodeJS.ProcessEnv;
let asked = 0;
let answers = Infinity;
let items: object[] = [];
let renewed = "";
const plane = http.createServer(({ url }, response) => {
  if (++asked > answers) return;
  const spec = { holderIdentity: "host2_1", leaseDurationSeconds: 15, renewTime: renewed };
  response
    .setHeader("content-type", "application/json")
    .end(JSON.stringify(url?.includes("/leases/") ? { spec } : { items }));
});
const programs = [
  { name: "karmada-scheduler", sign: { kind: "lease", namespace: "karmada-system", name: "karmada-scheduler" } },
];
let kubeconfig: string;
const giveOut = (outputs: object) =>
  writeFile(join(directory, "outputs.json"), JSON.stringify({ kubeconfig, ...outputs }));

beforeAll(async () => {
  plane.listen(0, "127.0.0.1");
  await once(plane, "listening");
  directory = await mkdtemp(join(tmpdir(), "status-"));
  kubeconfig = JSON.stringify({
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    clusters: [{ name: "a", cluster: { server: `http://127.0.0.1:${(plane.address() as AddressInfo).port}` } }],
    users: [{ name: "a", user: {} }],
  });
  env = await scriptedPulumi(
    directory,
    `case "$1 $2" in
  "stack ls") echo '[{"name":"watched"}]' ;;
  "stack output") cat '${directory}/outputs.json' ;;
esac
`,
  );
});
beforeEach(async () => {
  asked = 0;
  answers = Infinity;
  items = [];
  await giveOut({});
});
afterAll(async () => {
  plane.closeAllConnections();
  plane.close();
  await rm(directory, { recursive: true });
});

function status(...args: string[]) {
  const cwd = join(import.meta.dirname, "../..");
  const child = spawn(process.execPath, ["cli/status.ts", "--stack", "watched", "--json", ...args], { cwd, env });
  return { child, ended: once(child, "exit").then(([code]) => code as number) };
}

/** Each look asks for the Clusters and their Secrets. */
const looked = (times: number) =>
  waitFor("looks", deadlineIn(30), async () => (asked >= 2 * times ? true : new Pending(`${asked} questions`)));

test("without --watch it ends by itself", async () => {
  const { ended } = status();
  expect(await ended).toBe(0);
  expect(asked).toBe(2);
});

test.each([
  ["between two looks", Infinity],
  ["while it looks", 2],
])("with --watch it ends at once with 130 when it is interrupted %s, without another look", async (_, answered) => {
  answers = answered;
  const { child, ended } = status("--watch");
  if (answered === Infinity) await once(child.stdout, "data");
  else await looked(2);
  const [began, before] = [performance.now(), asked];
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(performance.now() - began).toBeLessThan(1500);
  expect(asked).toBe(before);
});

test("with --watch it ends with what it saw last when nobody reads on what it prints", async () => {
  const { child, ended } = status("--watch");
  await once(child.stdout, "data");
  child.stdout.destroy();
  items = [{ metadata: { name: "oslo" } }]; // which is something else to print
  expect(await ended).toBe(1);
});

test("a program whose lease nobody renews is told, and ends it with 1", async () => {
  await giveOut({ programs });
  renewed = new Date(Date.now() - 60_000).toISOString();
  const { child, ended } = status();
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  expect(JSON.parse(said.toString())).toEqual({
    etcd: [],
    plane: [
      {
        name: "karmada-scheduler",
        state: "Failing",
        reason: "LeaseExpired",
        message: `nobody has renewed lease karmada-system/karmada-scheduler since ${renewed}, its last holder was host2_1`,
      },
    ],
    certificates: [],
    members: [],
  });
  expect(await ended).toBe(1);
});

test("a team does not ask for the programs of the control plane that its members join", async () => {
  await giveOut({ deployment: "organization/karmada/prod", versions: { "karmada-webhook": "1.18.2" } });
  expect(await status().ended).toBe(0);
  expect(asked).toBe(2);
});

test("with --watch a lease that is renewed is nothing to print, and one that is not any more is", async () => {
  await giveOut({ programs });
  const renewing = setInterval(() => (renewed = new Date().toISOString()), 200);
  const { child, ended } = status("--watch");
  const said: string[] = [];
  child.stdout.on("data", (data: Buffer) => said.push(data.toString()));
  await waitFor("three looks", deadlineIn(30), async () => (asked >= 9 ? true : new Pending(`${asked} questions`)));
  expect(said).toHaveLength(1);
  clearInterval(renewing);
  renewed = "2026-01-01T00:00:00.000000Z";
  await waitFor("the change", deadlineIn(30), async () => (said.length > 1 ? true : new Pending("nothing")));
  expect(said[1]).toContain("LeaseExpired");
  child.kill("SIGINT");
  expect(await ended).toBe(130);
});

test.each([
  ["one that wants to be renewed is told", 5, 0],
  ["one that has ended ends it with 1", -5, 1],
])("of certificates %s", async (_, days, code) => {
  const ends = new Date(Date.now() + days * 86_400_000).toISOString();
  await giveOut({ certificates: { apiserver: ends } });
  const { child, ended } = status();
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  expect(JSON.parse(said.toString())).toMatchObject({ certificates: [{ name: "apiserver", ends, ended: days < 0 }] });
  expect(await ended).toBe(code);
});

test("of an etcd by itself there are its members and certificates, and no control plane is asked", async () => {
  const nobody = "https://127.0.0.1:9";
  const etcdAccess = { ca: "", certificate: "", key: "", endpoints: [nobody], parts: [] };
  await giveOut({ kubeconfig: undefined, etcdAccess, etcdClient: { endpoints: [nobody] } });
  const { child, ended } = status();
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  const { etcd, ...others } = JSON.parse(said.toString()) as { etcd: { name: string; state: string }[] };
  expect(etcd.map(({ name, state }) => [name, state === "Healthy"])).toEqual([["etcd", false]]);
  expect(others).toEqual({ plane: [], certificates: [], members: [] });
  expect([await ended, asked]).toEqual([1, 0]);
});
