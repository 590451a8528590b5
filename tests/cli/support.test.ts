/** `npm run support` of a stack whose pulumi is a script that knows its state, and whose control plane a server of this test. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import * as tar from "tar";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { scriptedPulumi } from "../support/scripted-pulumi.ts";
import { type Answering, answering } from "./support/answering.ts";

const root = join(import.meta.dirname, "../..");
let directory: string;
let env: NodeJS.ProcessEnv;
let plane: Answering;
let state: string;

beforeAll(async () => {
  plane = await answering({
    "/apis/cluster.karmada.io/v1alpha1/clusters": { items: [{ metadata: { name: "oslo" } }] },
    "/api/v1/events": { items: [] },
  });
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "support-"));
  state = join(directory, "state.json");
  const pulumi = await scriptedPulumi(
    directory,
    `case "$1 $2" in
  "stack ls") echo '[{"name":"broken"}]' ;;
  "stack export")
    case "$*" in *--show-secrets*) [ ! -e '${directory}/locked' ] || { echo incorrect passphrase >&2; exit 1; } ;; esac
    [ ! -e '${directory}/hang' ] || sleep 60; cat '${state}' ;;
  "stack history") echo '[{"kind":"update","result":"failed","config":{"karmada:x":{"value":"hunter2"}}}]' ;;
esac
`,
  );
  env = { ...pulumi, TMPDIR: join(directory, "tmp") };
  for (const name of ["run/logs", "tmp", "out"]) await mkdir(join(directory, name), { recursive: true });
});
afterEach(() => rm(directory, { recursive: true }));
afterAll(() => plane.stop());

const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  plaintext: JSON.stringify(value),
});
const resource = (type: string, fields: object) => ({ urn: `urn:pulumi:broken::karmada::${type}::x`, type, ...fields });
const giveState = (outputs: object) =>
  writeFile(
    state,
    JSON.stringify({
      deployment: {
        resources: [
          resource("pulumi:pulumi:Stack", { outputs }),
          resource("pulumi-nodejs:dynamic/local:LocalDirectory", { inputs: { directory: join(directory, "run") } }),
          resource("tls:index/privateKey:PrivateKey", { inputs: { seed: "hunter2" }, outputs: { key: "hunter2" } }),
        ],
        pending_operations: [{ type: "creating", resource: resource("a:b:C", { inputs: { password: "hunter2" } }) }],
      },
    }),
  );

const support = (...args: string[]) =>
  execa("node", ["cli/support.ts", "--stack", "broken", ...args], { cwd: root, env, preferLocal: true, reject: false });

/** Makes a bundle, and unpacks it. @returns what was printed, with the files by their paths */
async function bundle() {
  const file = join(directory, "out", "b.tar.gz");
  const { exitCode, stdout, stderr } = await support("--output", file);
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^stack broken: gathering;.*$/)]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(directory, "out"))).toEqual(["b.tar.gz"]);
  expect(await readdir(join(directory, "tmp"))).toEqual([]);
  await tar.x({ file, cwd: join(directory, "out") });
  const found = await readdir(join(directory, "out/b"), { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const each of found.filter((entry) => entry.isFile())) {
    const path = join(each.parentPath, each.name);
    files[path.slice(join(directory, "out/b/").length)] = await readFile(path, "utf8");
  }
  return { stdout, files };
}

test("what can be had is in it, without a secret, and what cannot is named on the screen and in it", async () => {
  await writeFile(join(directory, "run/logs/etcd-0.log"), "no leader\n--token=hunter2\n");
  await giveState({
    kubeconfig: secret(plane.kubeconfig),
    etcdAccess: secret({ ca: "", certificate: "", key: "hunter2", endpoints: ["https://127.0.0.1:9"], parts: [] }),
    endpoint: "https://a",
  });
  const { stdout, files } = await bundle();
  const json = (path: string) => JSON.parse(files[path]!) as Record<string, unknown>;
  expect(Object.keys(files).sort()).toEqual([
    "contents.txt",
    "karmada/clusters.json",
    "karmada/events.json",
    "local/logs/etcd-0.log",
    "outputs.json",
    "resources.json",
    "status.json",
    "updates.json",
    "versions.json",
  ]);
  expect(JSON.stringify(files)).not.toMatch(/hunter2|127\.0\.0\.1:\d+.*users/);
  expect(json("outputs.json")).toEqual({ kubeconfig: "[secret]", etcdAccess: "[secret]", endpoint: "https://a" });
  expect(json("resources.json")["pendingOperations"]).toEqual([{ operation: "creating", type: "a:b:C", name: "x" }]);
  expect(json("status.json")).toMatchObject({ etcd: [{ name: "etcd", state: "Unreachable" }] });
  expect(json("versions.json")).toMatchObject({ node: process.version, pulumi: { official: true } });
  expect(files["local/logs/etcd-0.log"]).toBe("no leader\n--token=[redacted]\n");
  for (const told of [stdout, files["contents.txt"]]) {
    expect(told).toMatch(/Pulumi\.broken\.yaml: ENOENT/);
    expect(told).toMatch(/local\/processes\.json: .*: no supervisor runs there/);
    expect(told).toMatch(/karmada\/works\.json: GET .*: 404 no such thing/);
  }
  expect(stdout).toMatch(/^ +0\.0Ki {2}local\/logs\/ {2}1 file$/m);
}, 60_000);

test("with another passphrase there is all that needs no login, and nothing is said to be missing that is there", async () => {
  await writeFile(join(directory, "locked"), "");
  await writeFile(join(directory, "run/logs/etcd-0.log"), "no leader\n");
  const { plaintext: _, ...cipher } = { ...secret("x"), ciphertext: "v1:abc" };
  await giveState({ kubeconfig: cipher, endpoint: "https://a" });
  const { stdout, files } = await bundle();
  expect(Object.keys(files)).toEqual(expect.arrayContaining(["local/logs/etcd-0.log", "resources.json"]));
  expect(JSON.parse(files["outputs.json"]!)).toEqual({ kubeconfig: "[secret]", endpoint: "https://a" });
  expect(stdout).toMatch(/the state with its secrets, for whatever wants a login: .*\n +incorrect passphrase/);
  expect(stdout).not.toContain("no control plane yet");
}, 60_000);

test("without a state, and without a deployment, there is what this machine knows", async () => {
  const none = await bundle();
  expect(Object.keys(none.files).sort()).toEqual(["contents.txt", "versions.json"]);
  expect(none.stdout).toContain("the state, which tells where everything is: pulumi stack export");
  await rm(join(directory, "out"), { recursive: true });
  await mkdir(join(directory, "out"));
  await writeFile(state, '{"version":3,"deployment":{}}');
  const empty = await bundle();
  expect(Object.keys(empty.files)).toContain("resources.json");
  expect(empty.stdout).toContain("status.json: stack broken: it has no control plane yet; npm start -- --stack broken");
}, 60_000);

test("interrupted it ends at once, and leaves nothing", async () => {
  await writeFile(join(directory, "hang"), "");
  const args = ["cli/support.ts", "--stack", "broken", "--output", join(directory, "out/b.tar.gz")];
  const child = spawn(process.execPath, args, { cwd: root, env });
  await waitFor("its directory", deadlineIn(30), async () =>
    (await readdir(join(directory, "tmp"))).length > 0 ? true : new Pending("none"),
  );
  const began = performance.now();
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([130, null]);
  expect(performance.now() - began).toBeLessThan(5000);
  expect(await readdir(join(directory, "out"))).toEqual([]);
  expect(await readdir(join(directory, "tmp"))).toEqual([]);
}, 60_000);

test("wrong usage is 2; a stack of which there is nothing, and a file that cannot be written, are 1", async () => {
  const wrong = await support("--since", "yesterday");
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    expect.stringMatching(/^npm run support: --since: got "yesterday"/),
  ]);
  const nobodys = await support("--stack", "broekn");
  expect([nobodys.exitCode, nobodys.stderr]).toEqual([1, expect.stringContaining('did you mean "broken"?')]);
  await mkdir(join(directory, "out/b.tar.gz"));
  const taken = await support("--output", join(directory, "out/b.tar.gz"));
  expect([taken.exitCode, taken.stdout]).toEqual([1, ""]);
  expect(await readdir(join(directory, "out"))).toEqual(["b.tar.gz"]);
}, 90_000);
