/** `npm run bundle -- --from` of bundles for another version, and for another machine. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { type Contents, parts, writeContents } from "../../cli/bundle/contents.ts";
import { outcome } from "../../cli/bundle/outcome.ts";
import { pack } from "../../toolchain/archive/pack.ts";
import { makeBundle } from "../../toolchain/bundle.ts";
import type { Artifact } from "../../toolchain/index.ts";
import { listArtifacts } from "../../toolchain/store/store.ts";
import { here, makeSandboxWithTools, type Sandbox } from "../toolchain/support/sandbox.ts";

const root = join(import.meta.dirname, "..", "..");
let sandbox: Sandbox;
beforeEach(async () => (sandbox = await makeSandboxWithTools()));
afterEach(() => sandbox.remove());

const run = (path: string, args: string[], env: NodeJS.ProcessEnv) =>
  execa(process.execPath, [join(root, path), ...args], {
    cwd: root,
    env: { PATH: "/usr/bin:/bin", HOME: sandbox.directory, ...env },
    extendEnv: false,
    reject: false,
    timeout: 60_000,
  });

/** Of two programs, after a change of what they are said to be. */
async function bundleOf(change: (artifact: Artifact, i: number) => Artifact): Promise<string> {
  const env = { PATH: `${sandbox.directory}/bin:/usr/bin:/bin`, KARMADA_TOOLCHAIN_DIR: sandbox.store };
  await run("toolchain/main.ts", ["etcdctl", "etcdutl", "--sources", "installed"], env);
  const programs = (await listArtifacts(sandbox.store)).map(change);
  const place = join(sandbox.directory, "place");
  await mkdir(place);
  await makeBundle(sandbox.store, programs, join(place, parts.programs));
  const contents = { programs, images: [], nodes: "linux/amd64", sources: [] };
  const file = join(sandbox.directory, "old.tar");
  await pack(place, await writeContents(place, contents, [parts.programs]), file, undefined);
  return file;
}

const use = (file: string) =>
  run("cli/bundle.ts", ["--from", file], { KARMADA_TOOLCHAIN_DIR: join(sandbox.directory, "there") });

test("programs of another version are left out and named, the others are there", async () => {
  const file = await bundleOf((artifact, i) => (i === 1 ? { ...artifact, version: "9.9.9" } : artifact));
  const { exitCode, stderr } = await use(file);
  expect(stderr).toContain("npm run bundle: left out etcdutl 9.9.9: not in this version's list of programs\n");
  expect(stderr).toMatch(/\n1 programs and 0 sources of addons are there$/);
  expect(exitCode).toBe(0);
});

test("a bundle of which nothing can be used is a failure", async () => {
  const file = await bundleOf((artifact) => ({ ...artifact, version: "9.9.9" }));
  const { exitCode, stderr } = await use(file);
  expect(stderr.split("\n")).toEqual([
    "npm run bundle: left out etcdctl 9.9.9, etcdutl 9.9.9: not in this version's list of programs",
    "0 programs and 0 sources of addons are there",
    `npm run bundle: nothing in ${file} is of use here: make one with this version, by --into and --platform ${here}`,
  ]);
  expect(exitCode).toBe(1);
});

const contents = (platform: string, more: Partial<Contents> = {}): Contents => ({
  format: 1,
  programs: ["etcd", "helm"].map((name) => ({ name, version: "1", platform, sha256: "" })),
  images: [],
  nodes: "linux/amd64",
  sources: [],
  files: [],
  ...more,
});
const place = { from: "a.tar", platform: "linux/amd64" } as const;
const used = { artifacts: [{ platform: "linux/arm64" }, { platform: "any" }], leftOut: [], pushed: false } as const;
const elsewhere = "npm run bundle: no program in it is for linux/amd64, which this machine is, but for linux/arm64";

test("programs for another machine are said to be, and are of no use on this one", () => {
  const { lines, code } = outcome(contents("linux/arm64"), used, place);
  expect([code, lines.slice(0, 2)]).toEqual([1, [elsewhere, "2 programs and 0 sources of addons are there"]]);
});

test("images in a registry are of use whatever the machine is, and are offered until they are there", () => {
  const images = ["quay.io/a/b:1"];
  const pushed = outcome(contents("linux/arm64", { images }), { ...used, pushed: true }, place);
  expect(pushed).toEqual({ code: 0, lines: [elsewhere, "2 programs and 0 sources of addons are there"] });
  const { lines, code } = outcome(contents("linux/amd64", { images }), { ...used, artifacts: [place] }, place);
  expect([code, lines]).toEqual([
    0,
    [
      "1 programs and 0 sources of addons are there",
      "its 1 images are in it: --to puts them into a registry; for a node without one tar -xf a.tar images.tar",
    ],
  ]);
});
