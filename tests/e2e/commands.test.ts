/** The commands of the README, as a newcomer runs them: in a checkout of their own, on the stack file that is there. */
import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import * as tar from "tar";
import { CopiedCheckout } from "./support/copied-checkout.ts";
import { kubectlFor, type Json } from "./support/kubectl.ts";
import { scrape } from "./support/prometheus.ts";
import { secretsInState } from "./support/secrets-in-state.ts";
import { processesNaming } from "./support/stack.ts";

let copy: CopiedCheckout;
let directory: string;
let checkout: string;
let stackFile: string;

const npm = (...args: string[]) => copy.npm(...args);

beforeAll(async () => {
  copy = await CopiedCheckout.make("karmada-e2e");
  ({ directory, path: checkout } = copy);
  stackFile = join(checkout, "Pulumi.dev.yaml");
  // Ports apart from those of other tests; the rest is as everybody gets it.
  const placement = "  karmada:placement: { kind: local, basePort: 18000 }\n";
  await writeFile(stackFile, (await readFile(stackFile, "utf8")) + placement);
});

afterAll(async () => {
  if (await readdir(join(checkout, ".pulumi")).catch(() => undefined)) await npm("run", "destroy");
  for (const { pid } of await processesNaming(directory)) process.kill(pid, "SIGKILL");
  await copy.remove();
}, 180_000);

async function succeed(...args: string[]): Promise<string> {
  const { exitCode, stdout, text } = await npm(...args);
  if (exitCode !== 0) throw new Error(`npm ${args.join(" ")}: exit code ${exitCode}\n${text}`);
  return stdout;
}

test.each([
  [["start", "--", "--stak", "dev"], "npm start: Unknown option '--stak'"],
  [["run", "status", "--", "--jsn"], "npm run status: Unknown option '--jsn'"],
  [["run", "monitoring", "--", "--outptu", "x"], "npm run monitoring: Unknown option '--outptu'"],
  [["run", "support", "--", "--sicne", "1h"], "npm run support: Unknown option '--sicne'"],
  [["run", "destroy", "--", "now"], "npm run destroy: Unexpected argument 'now'"],
])("npm %j is wrong usage: exit code 2, and nothing is begun", async (args, message) => {
  const { exitCode, stderr } = await npm(...args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) });
  expect(await readdir(checkout)).not.toEqual(expect.arrayContaining([".pulumi"]));
});

test("npm start ends with a table of what there is, and a kubeconfig that only this user can read", async () => {
  const said = await succeed("start");
  expect(said).toMatch(/Karmada 1\.18\.2, stack dev: \d+ created, \d+\.\d s\n/);
  expect(said).toContain("  API server  https://127.0.0.1:18");
  const members = said.split("\n").filter((line) => /^ {2}member\d /.test(line));
  expect(members.map((line) => line.trim().split(/ +/).slice(0, 4))).toEqual(
    ["member1", "member2", "member3"].map((name) => [name, "Push", "v1.35.3", "True"]),
  );
  const file = join(checkout, ".karmada/dev/kubeconfig");
  expect(said).toContain(`  kubeconfig  ${file}\n`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { kubectl, remove } = await kubectlFor(await readFile(file, "utf8"));
  try {
    expect((await kubectl.get("clusters")).items).toHaveLength(3);
    const member = (await kubectl.get<Json>("clusters", "member2")).spec.id;
    const namespace = await kubectl.get<Json>("--context=member2", "namespace", "kube-system");
    expect(namespace.metadata.uid).toBe(member);
  } finally {
    await remove();
  }
}, 400_000);

test("npm start again changes nothing, and starts nothing anew, though a proxy that leads nowhere is named", async () => {
  const before = await pids();
  expect(before.length).toBeGreaterThan(15);
  // Small letters, which gRPC for Node.js reads too.
  copy.env["http_proxy"] = copy.env["https_proxy"] = "http://127.0.0.1:9";
  expect(await succeed("start")).toContain("Karmada 1.18.2, stack dev: nothing had to be changed, ");
  expect(await pids()).toEqual(before);
}, 300_000);

test("npm run status ends with 0 while every member is Ready", async () => {
  expect(await succeed("run", "status")).toMatch(/member3 .*\bTrue\b/);
  const json = await succeed("run", "--silent", "status", "--", "--json");
  const status = JSON.parse(json) as {
    etcd: { name: string; state: string; members: { name: string; healthy: boolean }[] }[];
    plane: { name: string; state: string; message: string }[];
    certificates: object[];
    members: { name: string; ready: string }[];
  };
  expect(status.plane.length).toBeGreaterThan(5);
  expect(status.plane.filter(({ state }) => state !== "Running")).toEqual([]);
  expect(status.certificates).toEqual([]);
  expect(status.members.map(({ name, ready }) => [name, ready])).toEqual(
    ["member1", "member2", "member3"].map((name) => [name, "True"]),
  );
  expect(status.etcd).toMatchObject([{ name: "etcd", state: "Healthy" }]);
  expect(status.etcd[0]!.members.map(({ name, healthy }) => [name, healthy])).toEqual(
    ["etcd-0", "etcd-1", "etcd-2"].map((name) => [name, true]),
  );
}, 60_000);

test("npm run status names a member of etcd that hangs, and ends with 1", async () => {
  const running = await processesNaming(directory);
  const hung = running.find(({ command }) => command.includes(" --name=etcd-1 "))!.pid;
  process.kill(hung, "SIGSTOP");
  try {
    const { exitCode, stdout } = await npm("run", "--silent", "status");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^etcd: Degraded, 0 may be lost$/m);
    expect(stdout).toMatch(/^etcd-1 +unknown +- +False/m);
    expect(stdout).toMatch(/^etcd-1: https:\S+: no answer in time$/m);
  } finally {
    process.kill(hung, "SIGCONT");
  }
}, 60_000);

test("npm run status names a scheduler that hangs, while every member is Ready, and ends with 1", async () => {
  const running = await processesNaming(directory);
  const hung = running.find(({ command }) => /\/karmada-scheduler /.test(command))!.pid;
  process.kill(hung, "SIGSTOP");
  try {
    const { exitCode, stdout } = await npm("run", "--silent", "status");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^karmada-controller-manager +Running +- +Answers$/m);
    expect(stdout).toMatch(/^karmada-scheduler +Failing +- +NoAnswer$/m);
    expect(stdout).toMatch(/^karmada-scheduler: http:\S+\/healthz: no answer within 5s$/m);
    expect(stdout).toMatch(/^member3 .*\bTrue\b/m);
  } finally {
    process.kill(hung, "SIGCONT");
  }
}, 60_000);

test("npm run support of a running deployment has its status and logs, and none of its secrets", async () => {
  const bundle = join(directory, "bundle");
  await mkdir(bundle);
  const said = await succeed("run", "support", "--", "--output", `${bundle}.tar.gz`);
  expect(said).not.toContain("could not be had");
  await tar.x({ file: `${bundle}.tar.gz`, cwd: directory });
  const paths = (await readdir(bundle, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const files = new Map(
    await Promise.all(
      paths.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [relative(bundle, path), await readFile(path, "utf8")] as const;
      }),
    ),
  );
  expect(JSON.parse(files.get("status.json")!)).toMatchObject({
    etcd: [{ name: "etcd", state: "Healthy" }],
    members: ["member1", "member2", "member3"].map((name) => ({ name, ready: "True" })),
  });
  expect(JSON.parse(files.get("karmada/works.json")!)).toMatchObject({ notApplied: 0 });
  expect(files.get("local/logs/etcd-0.log")).toContain('"level":"info"');
  expect(files.get("Pulumi.dev.yaml")).toContain("basePort: 18000");

  const secrets = secretsInState(await succeed("run", "--silent", "pulumi", "--", "stack", "export", "--show-secrets"));
  expect(secrets.length).toBeGreaterThan(20);
  const passphrase = (await readFile(join(checkout, ".pulumi/passphrase"), "utf8")).trim();
  for (const [path, text] of files)
    expect([path, ["PRIVATE KEY", passphrase, ...secrets].filter((each) => text.includes(each))]).toEqual([path, []]);
}, 120_000);

test("npm run monitoring writes what a Prometheus needs, once the stack file says so", async () => {
  const without = await npm("run", "monitoring");
  expect(without).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      'stack dev: it has no output "monitoring"; write karmada:monitoring: {enabled: true} into Pulumi.dev.yaml, then npm start',
    ),
  });
  const before = await pids();
  const typed = await readFile(stackFile, "utf8");
  await writeFile(stackFile, typed.replace(/^config:$/m, "config:\n  karmada:monitoring: { enabled: true }"));
  expect(await succeed("start")).toContain("stack dev: 3 created, ");
  expect(await pids()).toEqual(before);
  const directory = join(checkout, ".karmada/dev/monitoring");
  const said = await succeed("run", "monitoring");
  expect(said).toContain(`written to ${directory}\n  scrape-configs.yaml\n  rules.yaml`);
  const key = await readFile(join(directory, "client.key"), "utf8");
  expect(said).not.toContain(key.split("\n")[1]);
  const scraped = await scrape(join(directory, "scrape-configs.yaml"));
  expect(scraped.filter(({ status }) => status !== 200)).toEqual([]);
  expect(said).toContain(`stack dev: ${scraped.length} programs to scrape; `);
}, 300_000);

test("a stack that only takes a snapshot comes up, says what it did, has no control plane to ask, and goes", async () => {
  const snapshots = { targets: [{ kind: "local", directory: join(directory, "backup") }] };
  const config = {
    "karmada:program": "snapshots",
    "karmada:source": { kind: "stack", stack: "dev" },
    "karmada:snapshots": snapshots,
    "karmada:take": [{ name: "first" }],
  };
  await writeFile(join(checkout, "Pulumi.saved.yaml"), JSON.stringify({ config }));
  expect(await succeed("start", "--", "--stack", "saved")).toMatch(/\nStack saved: \d+ created, \d+\.\d s\n/);
  const { exitCode, stderr } = await npm("run", "status", "--", "--stack", "saved");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining(
      "npm run status: stack saved: it runs the program snapshots, which has no control plane to ask; npm run pulumi -- stack output --stack saved says what it has",
    ),
  });
  expect(await succeed("run", "destroy", "--", "--stack", "saved")).toMatch(/stack saved: removed/);
}, 120_000);

test("an etcd by itself comes up, shows its members, has nothing for a Prometheus, and goes", async () => {
  const config = {
    "karmada:program": "etcd",
    "karmada:placement": { kind: "local", basePort: 19000, directory: join(directory, "etcd-alone") },
    "karmada:etcd": { kind: "managed", members: 1 },
  };
  await writeFile(join(checkout, "Pulumi.data.yaml"), JSON.stringify({ config }));
  expect(await succeed("start", "--", "--stack", "data")).toMatch(/\nStack data: \d+ created, \d+\.\d s\n/);
  expect(await succeed("run", "status", "--", "--stack", "data")).toMatch(
    /\netcd: Healthy, 0 may be lost\nMEMBER .*\netcd-0 +leader .*\bTrue\b.*$/,
  );
  const { exitCode, stderr } = await npm("run", "monitoring", "--", "--stack", "data");
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining("npm run monitoring: stack data: it runs the program etcd, for which nothing is written"),
  ]);
  expect(await succeed("run", "destroy", "--", "--stack", "data", "--yes")).toMatch(/stack data: removed/);
}, 120_000);

test("npm run destroy leaves no process, no data and no stack, and the stack file as it was", async () => {
  const typed = (await readFile(stackFile, "utf8")).replace(/^encryptionsalt:.*\n/m, "");
  expect(await succeed("run", "destroy")).toContain("stack dev: removed, nothing of it is left");
  expect(await pids()).toEqual([]);
  expect(await readdir(join(directory, "state/karmada-pulumi")).catch(() => [])).toEqual([]);
  expect(await readdir(checkout)).not.toContain(".karmada");
  expect(await readFile(stackFile, "utf8")).toBe(typed);
  expect(await succeed("run", "destroy")).toContain("stack dev: there is none, nothing to remove");
  const status = await npm("run", "status");
  expect(status).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("stack dev: there is none") });
}, 180_000);

/** What the stack runs, by process id. */
const pids = async () =>
  (await processesNaming(join(directory, "state"))).map(({ pid }) => pid).toSorted((a, b) => a - b);
