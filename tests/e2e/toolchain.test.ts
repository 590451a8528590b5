/**
 * The toolchain as a user meets it: one resource of each plugin and a dynamic one, through a whole life with the real
 * command line, against a real kube-apiserver.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { Programs } from "../support/running.ts";
import { createProject, type Project } from "./support/pulumi.ts";

let directory: string;
let programs: Programs;
let cluster: Cluster;
let project: Project;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "toolchain-cluster-"));
  programs = new Programs(directory);
  cluster = await startCluster(programs, await startEtcd(programs, 31110), { name: "toolchain", port: 31120 });
  project = await createProject("toolchain");
  await project.pulumi(["config", "set", "text", "first"]);
  await project.pulumi(["config", "set", "generation", "1"]);
  await project.pulumi(["config", "set", "directory", project.made]);
  await project.pulumi(["config", "set", "--secret", "kubeconfig", cluster.kubeconfig]);
}, 180_000);

afterAll(async () => {
  await programs?.stop();
  await project?.remove();
  await rm(directory, { recursive: true, force: true });
});

/** The operation on each resource the program declares, as `preview --json` plans it. */
async function plan(): Promise<Record<string, string>> {
  const { steps = [] } = JSON.parse(await project.pulumi(["preview", "--json"])) as {
    steps?: { op: string; urn: string }[];
  };
  return Object.fromEntries(steps.filter(({ op }) => op !== "same").map(({ op, urn }) => [urn.split("::").at(-1), op]));
}

const made = (file: string) => readFile(join(project.made, file), "utf8");
const configMap = () =>
  cluster.client.request("GET", "/api/v1/namespaces/default/configmaps/toolchain") as Promise<{
    metadata: { uid: string; labels: Record<string, string> };
    data: Record<string, string>;
  }>;

test("a preview plans every resource and makes nothing", async () => {
  expect(await plan()).toEqual({
    "toolchain-test": "create",
    password: "create",
    key: "create",
    certificate: "create",
    file: "create",
    cluster: "create",
    map: "create",
    secret: "create",
    note: "create",
  });
  await expect(configMap()).rejects.toThrow(/not found/);
});

test("an up makes them all, and nothing secret is readable in what it prints or keeps", async () => {
  const { text, exitCode } = await project.run(["up", "--yes", "--diff"]);
  expect([exitCode, text]).toEqual([0, expect.stringContaining("9 created")]);
  const { passwordText, privateKey, certificatePem, mapUid } = await project.outputs();
  expect(passwordText).toHaveLength(24);
  expect(certificatePem).toMatch(/^-----BEGIN CERTIFICATE-----/);
  expect((await configMap()).metadata.uid).toBe(mapUid);
  expect(await made("command.txt")).toBe(`first ${passwordText}`);
  expect(await made("note.txt")).toBe("first");

  const state = await project.stateFile();
  const keyLine = privateKey!.split("\n")[1]!;
  for (const secret of [passwordText!, Buffer.from(passwordText!).toString("base64"), keyLine]) {
    expect(text).not.toContain(secret);
    expect(state).not.toContain(secret);
  }
  expect(state).not.toContain("client-key-data");
}, 120_000);

test("a second up finds nothing to do", async () => {
  await project.pulumi(["up", "--yes", "--skip-preview", "--expect-no-changes"]);
});

test("a changed text updates what holds it, in place", async () => {
  const before = await configMap();
  await project.pulumi(["config", "set", "text", "second"]);
  expect(await plan()).toEqual({ file: "update", map: "update", note: "update" });
  await project.pulumi(["up", "--yes", "--skip-preview"]);
  const after = await configMap();
  expect([after.metadata.uid, after.metadata.labels]).toEqual([before.metadata.uid, { text: "second" }]);
  expect(await made("note.txt")).toBe("second");
}, 120_000);

test("a refresh finds nothing when nothing was touched", async () => {
  await project.pulumi(["refresh", "--yes", "--skip-preview", "--expect-no-changes"]);
});

test("what was changed by hand is seen by a refresh and repaired by the next up", async () => {
  await writeFile(join(project.made, "note.txt"), "by hand");
  await cluster.client.request("PATCH", "/api/v1/namespaces/default/configmaps/toolchain", {
    contentType: "application/merge-patch+json",
    body: { metadata: { labels: { text: "by-hand" } } },
  });
  const refresh = await project.run(["refresh", "--yes", "--skip-preview"]);
  expect([refresh.exitCode, refresh.text]).toEqual([0, expect.stringContaining("2 updated")]);
  expect(await plan()).toEqual({ map: "update", note: "update" });
  await project.pulumi(["up", "--yes", "--skip-preview"]);
  expect((await configMap()).metadata.labels).toEqual({ text: "second" });
  expect(await made("note.txt")).toBe("second");
}, 120_000);

test("what was deleted by hand is made again", async () => {
  await rm(join(project.made, "note.txt"));
  await cluster.client.request("DELETE", "/api/v1/namespaces/default/configmaps/toolchain");
  await project.pulumi(["refresh", "--yes", "--skip-preview"]);
  expect(await plan()).toEqual({ map: "create", note: "create" });
  await project.pulumi(["up", "--yes", "--skip-preview"]);
  expect(await made("note.txt")).toBe("second");
  expect((await configMap()).data).toEqual({ generation: "1" });
}, 120_000);

test("a change of what cannot be updated replaces it and what follows from it", async () => {
  const before = await project.outputs();
  await project.pulumi(["config", "set", "generation", "2"]);
  expect(await plan()).toMatchObject({ password: expect.stringContaining("replace") as string, file: "update" });
  await project.pulumi(["up", "--yes", "--skip-preview"]);
  const after = await project.outputs();
  expect(after["passwordText"]).not.toBe(before["passwordText"]);
  expect(after["privateKey"]).toBe(before["privateKey"]);
  expect(after["mapUid"]).not.toBe(before["mapUid"]);
  expect(await made("command.txt")).toBe(`second ${after["passwordText"]}`);
}, 120_000);

test("a resource that exists already is imported", async () => {
  await project.pulumi([
    ...["import", "random:index/randomId:RandomId", "imported", "p8hZqg"],
    ...["--yes", "--skip-preview", "--protect=false", "--generate-code=false"],
  ]);
  const imported = (await project.resources()).find(({ urn }) => urn.endsWith("::imported"));
  expect(imported).toMatchObject({ id: "p8hZqg", outputs: { hex: "a7c859aa", byteLength: 4 } });
}, 60_000);

test("a destroy leaves nothing behind", async () => {
  await project.pulumi(["destroy", "--yes", "--skip-preview"]);
  await expect(configMap()).rejects.toThrow(/not found/);
  await expect(made("command.txt")).rejects.toThrow(/ENOENT/);
  await expect(made("note.txt")).rejects.toThrow(/ENOENT/);
  expect(await project.resources()).toEqual([]);
}, 120_000);
