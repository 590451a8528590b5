/** Images through an archive, from one registry to another: both are crane's own, of which the second stands for one without a connection. */
import { open, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { execa } from "execa";
import * as tar from "tar";
import { wrongUsage } from "../../cli/images/usage.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { freePorts } from "../support/api-server.ts";
import { programPath } from "../support/programs.ts";
import { Programs, type Running } from "../support/running.ts";

const root = join(import.meta.dirname, "..", "..");
const plain = [
  "quay/etcd:v3.6.6",
  "k8s/kube-apiserver:v1.35.3",
  "k8s/kube-controller-manager:v1.35.3",
  ...["aggregated-apiserver", "controller-manager", "scheduler"].map((name) => `karmada/karmada-${name}:v1.18.2`),
];

const ofAddon = "web/nginx:1.29";

jest.setTimeout(120_000);

let programs: Programs;
let crane: (...args: string[]) => Promise<string>;
let from: Registry;
let to: Registry;
/** Of an image for two platforms, by which it is pinned. */
let webhook: string;
let names: string[];
let stackFile: string;

beforeAll(async () => {
  programs = new Programs(await mkdtemp(join(tmpdir(), "image-bundle-")));
  const path = await programPath("crane");
  crane = async (...args) => (await execa(path, args, { timeout: 60_000 })).stdout;
  const [one, two] = await freePorts(2);
  [from, to] = [new Registry(one!, "from"), new Registry(two!, "to")];
  await Promise.all([from.start(), to.start()]);
  await fill();
  const { address } = from;
  names = [
    ...plain.slice(0, 4),
    `karmada/karmada-webhook@${webhook}`,
    ...plain.slice(4),
    "library/node:24-bookworm-slim",
    ofAddon,
  ].map((name) => `${address}/${name}`);
  programs.write(
    "web.yaml",
    `{ apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ image: "${address}/${ofAddon}" }] } }`,
  );
  stackFile = programs.write(
    "Pulumi.test.yaml",
    `config:
  karmada:placement:
    kind: kubernetes
    credentials: { kind: kubeconfig, kubeconfig: { secure: AAAB } }
    exposure: { kind: nodePort, addresses: [10.0.0.11] }
    images:
      kubernetes: "${address}/k8s"
      etcd: "${address}/quay"
      karmada: "${address}/karmada"
      node: "${address}/library/node:24-bookworm-slim"
      pinned: { karmada-webhook: "${address}/karmada/karmada-webhook@${webhook}" }
  karmada:addons: [{ name: web, source: { kind: manifest, file: web.yaml }, target: { kind: host } }]
`,
  );
}, 240_000);
afterAll(() => programs.remove());

const run = (...args: string[]) =>
  execa("node", [join(root, "cli", "images.ts"), ...args], { cwd: root, reject: false, timeout: 100_000 });
const archive = () => join(programs.directory, "images.tar");

/** A registry that has forgotten everything when it is started again. */
class Registry {
  readonly address: string;
  readonly #directory: string;
  readonly #name: string;
  #running: Running | undefined;

  constructor(port: number, name: string) {
    this.address = `127.0.0.1:${port}`;
    this.#directory = join(programs.directory, name);
    this.#name = name;
  }

  async start(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const args = ["registry", "serve", "--address", this.address, "--disk", this.#directory];
    this.#running = await programs.start("crane", args, this.#name);
    await waitFor("the registry", deadlineIn(30), () => fetch(`http://${this.address}/v2/`));
  }

  end = () => this.#running!.kill();
}

/** With all that the stack file names: tiny images, two of them for two platforms. */
async function fill(): Promise<void> {
  const layer = (name: string) => join(programs.directory, `${name}.tar`);
  for (const name of ["amd64", "arm64"]) {
    const file = programs.write(`${name}/program`, `for ${name}`);
    // Made again, it is the same to the byte.
    await tar.c({ file: layer(name), cwd: join(file, ".."), portable: true, mtime: new Date(0) }, ["program"]);
  }
  const at = (name: string) => `${from.address}/${name}`;
  for (const name of [...plain, ofAddon]) await crane("append", "-f", layer("amd64"), "-t", at(name));
  for (const arch of ["amd64", "arm64"]) {
    await crane("append", "-f", layer(arch), "-t", at(`made:${arch}`));
    await crane("mutate", "--set-platform", `linux/${arch}`, at(`made:${arch}`), "-t", at(`made:${arch}`));
  }
  for (const name of ["karmada/karmada-webhook:v1.18.2", "library/node:24-bookworm-slim"])
    await crane("index", "append", "-m", at("made:amd64"), "-m", at("made:arm64"), "-t", at(name));
  webhook = await crane("digest", at("karmada/karmada-webhook:v1.18.2"));
}

test("the images of a stack file go through one archive into another registry, byte by byte", async () => {
  const bundled = await run("--file", stackFile, "--bundle", archive(), "--platform", "linux/arm64");
  expect([bundled.exitCode, bundled.stdout]).toEqual([0, expect.stringMatching(/^[\da-f]{64} {2}.*\/images\.tar$/)]);
  expect(bundled.stderr.match(/^pulled .*/gm)?.toSorted()).toEqual(names.map((name) => `pulled ${name}`).toSorted());
  expect((await readdir(programs.directory)).filter((name) => name.includes(".partial"))).toEqual([]);

  const digests = await Promise.all(
    names.map((name) => crane("digest", name.includes("/node:") ? `${from.address}/made:arm64` : name)),
  );
  const ofAmd64 = await crane("digest", `${from.address}/made:amd64`);
  await from.end();
  const listed = await run("--from", archive());
  expect([listed.stdout.split("\n"), listed.stderr, listed.exitCode]).toEqual([names, "", 0]);
  const pushed = await run("--from", archive(), "--to", `${to.address}/a/mirror`);
  const there = names.map((name) => `${to.address}/a/mirror/${name.split("/").at(-1)}`);
  expect([pushed.stdout.split("\n"), pushed.exitCode]).toEqual([there, 0]);
  expect(await Promise.all(there.map((name) => crane("digest", name)))).toEqual(digests);
  await Promise.all(there.map((name) => crane("validate", "--remote", name)));
  expect(await crane("digest", "--platform", "linux/amd64", there[4]!)).toBe(ofAmd64);
});

test("an image that cannot be pulled is named, and the same command goes on with it", async () => {
  const file = join(programs.directory, "later.tar");
  await from.start();
  await fill();
  const [etcd, ...others] = names;
  await crane("delete", etcd!);
  const failed = await run("--file", stackFile, "--bundle", file);
  expect([failed.exitCode, failed.stdout]).toEqual([1, ""]);
  expect(failed.stderr).toContain(
    `npm run images: 1 of 9 images could not be pulled; the same command goes on with them\n  ${etcd}: `,
  );
  expect(failed.stderr.split("\n").at(-1)).toContain("MANIFEST_UNKNOWN");
  await fill();
  // What is pulled already is not asked for again.
  await Promise.all(others.map((name) => crane("delete", name)));
  const { exitCode, stdout } = await run("--file", stackFile, "--bundle", file);
  expect([exitCode, stdout.endsWith("later.tar")]).toEqual([0, true]);
  expect((await run("--from", file)).stdout.split("\n")).toEqual(names);
});

test("what was pulled for other nodes before a run was interrupted is not taken for these", async () => {
  const file = join(programs.directory, "nodes.tar");
  await from.end();
  await from.start();
  await fill();
  await crane("delete", names[0]!);
  expect((await run("--file", stackFile, "--bundle", file, "--platform", "linux/amd64")).exitCode).toBe(1);
  await fill();
  const { exitCode, stderr } = await run("--file", stackFile, "--bundle", file, "--platform", "linux/arm64");
  expect(exitCode === 0 ? 0 : stderr).toBe(0);
  await run("--from", file, "--to", `${to.address}/nodes`);
  expect(await crane("digest", `${to.address}/nodes/node:24-bookworm-slim`)).toBe(
    await crane("digest", `${from.address}/made:arm64`),
  );
});

test("an archive of which a byte is another one is refused before anything is pushed", async () => {
  const damaged = join(programs.directory, "damaged.tar");
  await execa("cp", [archive(), damaged]);
  const file = await open(damaged, "r+");
  // The last of what it ends with is a blob, and zeros.
  const { size } = await file.stat();
  const all = Buffer.alloc(size);
  await file.read(all, 0, size, 0);
  await file.write("?", all.lastIndexOf("ustar") - 257 + 512);
  await file.close();
  const { exitCode, stderr } = await run("--from", damaged, "--to", to.address);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/damaged\.tar is damaged, copy it again: sha256:[\da-f]{64} is something else$/),
  ]);
});

const aRegistry =
  'want a registry with or without a path, in lower case and without "https://", such as "registry.example.org/mirror"';
const noDirectory = '--bundle: got "/not/there/i.tar", but there is no directory /not/there';
test.each([
  [{ to: "registry.example.org" }, "--to wants --from, the archive to take the images from"],
  [{ bundle: "a.tar", from: "b.tar" }, "--bundle makes an archive and --from reads one, want one of them"],
  [{ bundle: "i.zip" }, '--bundle: got "i.zip", want a name that ends in .tar: layers are compressed already'],
  [{ bundle: "/not/there/i.tar" }, noDirectory],
  [{ bundle: "i.tar", platform: "arm64" }, '--platform: got "arm64", want one such as linux/amd64 or linux/arm64'],
  [{ from: "i.tar", to: "https://registry.example.org" }, `--to: got "https://registry.example.org", ${aRegistry}`],
  [{ from: "i.tar", to: "registry..example.org/a" }, `--to: got "registry..example.org/a", ${aRegistry}`],
  [{ from: "i.tar", to: "registry.example.org/a.-b" }, `--to: got "registry.example.org/a.-b", ${aRegistry}`],
  [{ from: "i.tar", to: "" }, `--to: got "", ${aRegistry}`],
  [{ platform: "linux/arm64" }, "--platform wants --bundle, the archive to make"],
  [{ bundle: "i.tar", platform: "linux/arm64" }, undefined],
  [{ from: "i.tar", to: "registry.example.org:5000/a/b-c" }, undefined],
])("%j is told to be meant otherwise, where it cannot be meant so", (values, says) => {
  expect(wrongUsage(values, new Set())).toBe(says);
});

test("options that exclude each other are wrong usage", async () => {
  expect(await run("--json", "--from", "i.tar")).toMatchObject({
    exitCode: 2,
    stderr: "npm run images: --json is for the list of a stack file's images\nnpm run images -- --help says more",
  });
});

test("a file that is no such archive is said to be none", async () => {
  const file = join(programs.directory, "other.tar");
  await writeFile(join(programs.directory, "x"), "x");
  await tar.c({ file, cwd: programs.directory }, ["x"]);
  expect((await run("--from", file)).stderr).toContain(
    "other.tar: it holds no images; npm run images -- --bundle makes such a file",
  );
  await rm(file);
  expect(await run("--from", file)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("there is no such file"),
  });
  expect(await run("--from", stackFile)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("Pulumi.test.yaml: "),
  });
});
