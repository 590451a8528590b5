import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { execa } from "execa";
import { installFrom, type InstallOptions } from "../../../toolchain/install.ts";
import type { ProgramSet } from "../../../toolchain/program.ts";
import type { Progress } from "../../../toolchain/progress.ts";
import { moduleSource } from "../../../toolchain/sources/module.ts";
import { readBuildInfo } from "../../../toolchain/verify/build-info.ts";
import { canMount, mountTmpfs } from "../../support/mount.ts";
import { publishModule } from "../support/go-proxy.ts";
import { demo, here, leftovers, makeSandbox, sha256, type Sandbox } from "../support/sandbox.ts";

const module = "example.com/demo/v2";
const main = `package main
var version = "unknown"
func main() { println("demo", version, tagged) }
`;
const files = {
  "go.mod": `module ${module}\n\ngo 1.24\n`,
  "main.go": main,
  "plain.go": "//go:build !special\n\npackage main\n\nconst tagged = false\n",
  "special.go": "//go:build special\n\npackage main\n\nconst tagged = true\n",
  "cmd/other/main.go": 'package main\n\nfunc main() { println("other 2.3.4") }\n',
  "crds/bases/a.yaml": "a: 1\n",
  "crds/notes.md": "not wanted",
};

const set = (more: { tags?: string[] } = {}): ProgramSet => ({
  name: "demo-2.3.4",
  build: { stamps: { "main.version": "v2.3.4" }, ...more },
  programs: [
    demo({ version: "2.3.4", module: { kind: "build", module, package: module } }),
    demo({
      name: "other",
      version: "2.3.4",
      main: "other-program",
      module: { kind: "build", module, package: `${module}/cmd/other` },
    }),
    demo({
      name: "demo-crds",
      version: "2.3.4",
      kind: "files",
      main: "crds",
      entries: ["bases/"],
      module: { kind: "directory", module, directory: "crds" },
    }),
  ],
});

let sandbox: Sandbox;
let env: NodeJS.ProcessEnv;
let folder: string;

beforeAll(async () => {
  sandbox = await makeSandbox();
  const proxy = join(sandbox.directory, "proxy");
  await publishModule(proxy, module, "v2.3.4", files);
  env = {
    ...process.env,
    GOPROXY: `file://${proxy}`,
    GONOSUMDB: "*",
    GOMODCACHE: join(sandbox.directory, "modcache"),
    GOFLAGS: "-modcacherw",
  };
  const goMod = await sandbox.file(
    "modules/demo-2.3.4/go.mod",
    `module toolchain/demo-2.3.4\n\ngo 1.24\n\ntool (\n\t${module}\n\t${module}/cmd/other\n)\n\nrequire ${module} v2.3.4\n`,
  );
  folder = join(goMod, "..");
  await promisify(execFile)("go", ["mod", "tidy"], { cwd: folder, env });
}, 60_000);
afterAll(() => sandbox.remove());

const obtain = (store: string, wanted = set(), more: Partial<InstallOptions> = {}) =>
  installFrom(wanted.programs, {
    sets: [wanted],
    sources: [moduleSource(join(sandbox.directory, "modules"))],
    store: join(sandbox.directory, store),
    env,
    ...more,
  });

test("one build makes all programs of a set, stamped, reproducible in name and recorded", async () => {
  const steps: Progress[] = [];
  const [built, other, crds] = await obtain("all", set(), { onProgress: (progress) => steps.push(progress) });
  expect(built).toMatchObject({
    source: "module",
    address: `${module}@v2.3.4`,
    verified: [
      `module ${module}@v2.3.4`,
      "go.sum",
      expect.stringMatching(/^build information \(go1\.\d+/),
      "version output",
    ],
  });
  expect(other?.path).toMatch(/\/other-program$/);
  expect(await readFile(join(crds!.path, "bases/a.yaml"), "utf8")).toBe("a: 1\n");
  expect(crds).toMatchObject({ platform: "any", files: [{ path: "crds/bases/a.yaml" }] });
  expect(sha256(await readFile(built!.path))).toBe(built!.sha256);
  expect(steps.filter((progress) => progress.step === "build").length).toBeGreaterThan(0);
  expect(await leftovers(join(sandbox.directory, "all"))).toEqual([]);
});

test("the build information read from an executable is what go version -m prints", async () => {
  const [built] = await obtain("info", set({ tags: ["special"] }));
  const { stdout } = await promisify(execFile)("go", ["version", "-m", built!.path]);
  const info = await readBuildInfo(built!.path);
  expect(stdout).toContain(info!.goVersion);
  expect(stdout).toContain(`path\t${info!.path}\n`);
  expect(stdout).toContain(`mod\t${info!.module}\t${info!.moduleVersion}\t`);
  for (const [key, value] of Object.entries(info!.settings)) expect(stdout).toContain(`build\t${key}=${value}\n`);
  expect(info).toMatchObject({ module, moduleVersion: "v2.3.4", settings: { "-tags": "special", CGO_ENABLED: "0" } });
});

test("an executable without a tag it needs is refused", async () => {
  const wanted = set();
  const strict = { ...wanted, programs: [{ ...wanted.programs[0]!, requiredTags: ["special"] }] };
  await expect(obtain("tags", strict)).rejects.toThrow("module: demo was built without the tag special\n");
});

test("programs are built for another platform, and not run here", async () => {
  const platform = here === "linux/arm64" ? "linux/amd64" : "linux/arm64";
  const wanted = { ...set(), programs: set().programs.slice(0, 1) };
  const [built] = await obtain("cross", wanted, { platform });
  expect(built).toMatchObject({ platform, verified: [expect.anything(), "go.sum", expect.stringContaining(platform)] });
});

test("without network, what Go has cached is enough", async () => {
  await obtain("before-offline");
  const nowhere = { ...env, GOPROXY: "http://127.0.0.1:9" };
  const artifacts = await obtain("offline", set(), { offline: true, env: nowhere });
  expect(artifacts).toHaveLength(3);
});

test("without network and without a cache the error says what to do", async () => {
  const empty = { ...env, GOMODCACHE: join(sandbox.directory, "empty-modcache") };
  const work = obtain("offline-empty", set(), { offline: true, env: empty });
  await expect(work).rejects.toThrow(/module: go list: .*GOPROXY=off/s);
  await expect(work).rejects.toThrow(
    "to do: make a Go module proxy reachable (GOPROXY), or run without --offline once",
  );
});

test("a module that changed since go.sum was written is refused", async () => {
  const sums = await readFile(join(folder, "go.sum"), "utf8");
  await writeFile(join(folder, "go.sum"), sums.replace(/v2\.3\.4 h1:...../, "v2.3.4 h1:AAAAA"));
  const fresh = { ...env, GOMODCACHE: join(sandbox.directory, "fresh-modcache") };
  try {
    await expect(obtain("changed", set(), { env: fresh })).rejects.toThrow(
      /module: go list: .*SECURITY ERROR.*GOPROXY/s,
    );
  } finally {
    await writeFile(join(folder, "go.sum"), sums);
  }
});

test("a program that does not compile is one error with the compiler's words", async () => {
  const proxy = join(sandbox.directory, "proxy");
  const broken = "example.com/broken";
  await publishModule(proxy, broken, "v1.0.0", {
    "go.mod": `module ${broken}\n`,
    "main.go": "package main\nfunc main() { oops }\n",
  });
  await sandbox.file(
    "modules/broken-1.0.0/go.mod",
    `module toolchain/broken\n\ngo 1.24\n\ntool ${broken}\n\nrequire ${broken} v1.0.0\n`,
  );
  await promisify(execFile)("go", ["mod", "tidy"], { cwd: join(sandbox.directory, "modules/broken-1.0.0"), env });
  const program = demo({
    name: "broken",
    version: "1.0.0",
    module: { kind: "build", module: broken, package: broken },
  });
  await expect(obtain("broken", { name: "broken-1.0.0", build: {}, programs: [program] })).rejects.toThrow(
    "undefined: oops",
  );
});

test("a missing Go is named with the remedy", async () => {
  const work = obtain("no-go", set(), { env: { ...env, PATH: "/nowhere" } });
  await expect(work).rejects.toThrow("module: Go is not installed (no `go` on PATH)\n");
  await expect(work).rejects.toThrow("to do: install Go 1.24 or later (https://go.dev/dl/)");
});

test("a Go that is too old is named with its version", async () => {
  await sandbox.file("old/go", "#!/bin/sh\necho go1.19.8\n", 0o755);
  const old = { ...env, PATH: `${sandbox.directory}/old:/usr/bin:/bin` };
  await expect(obtain("old-go", set(), { env: old })).rejects.toThrow("module: Go is too old: found 1.19.8\n");
});

test("an interrupted build leaves nothing behind", async () => {
  const controller = new AbortController();
  const onProgress = (progress: Progress) => {
    if (progress.step === "build") controller.abort(new Error("interrupted"));
  };
  await expect(obtain("interrupted", set(), { signal: controller.signal, onProgress })).rejects.toThrow("interrupted");
  expect(await leftovers(join(sandbox.directory, "interrupted"))).toEqual([]);
});

describe("on a disk that is full", () => {
  test("a build is one error that says which disk, and nothing is left; with room the next run finishes", async () => {
    if (!canMount) return;
    const store = join(sandbox.directory, "small-store");
    const unmount = await mountTmpfs(store, "300k");
    try {
      const work = obtain("small-store");
      await expect(work).rejects.toThrow(/module: go build: .*no space left on device/s);
      await expect(work).rejects.toThrow(`to do: free disk space below ${store}, or name another place with`);
      expect(await leftovers(store)).toEqual([]);
      await execa("mount", ["-o", "remount,size=64m", store]);
      expect(await obtain("small-store")).toHaveLength(3);
    } finally {
      await unmount();
    }
  });

  test("of Go's own, it says how Go is told of another one", async () => {
    if (!canMount) return;
    const GOTMPDIR = join(sandbox.directory, "small-tmp");
    const unmount = await mountTmpfs(GOTMPDIR, 1);
    try {
      const work = obtain("small-tmp-store", set(), { env: { ...env, GOTMPDIR } });
      await expect(work).rejects.toThrow(/module: go build: .*no space left on device/s);
      await expect(work).rejects.toThrow(
        "to do: free disk space (GOCACHE, GOTMPDIR and GOMODCACHE say where Go writes)",
      );
      expect(await leftovers(join(sandbox.directory, "small-tmp-store"))).toEqual([]);
    } finally {
      await unmount();
    }
  });
});

test("a run killed while it builds leaves no program; the next one finishes and takes away what was left", async () => {
  const store = join(sandbox.directory, "killed");
  const script = join(import.meta.dirname, "../support/run-build.ts");
  const args = [script, store, join(sandbox.directory, "modules"), JSON.stringify(set())];
  // What Go itself leaves when it is cut off goes with the sandbox.
  const own = { ...env, GOTMPDIR: sandbox.directory };
  const child = spawn(process.execPath, args, { env: own, stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data"); // it says when it begins to build
  child.kill("SIGKILL");
  await once(child, "exit");
  for (const directory of ["content", "programs"])
    expect(await readdir(join(store, directory), { recursive: true }).catch(() => [])).toEqual([]);
  expect(await leftovers(store)).not.toEqual([]);
  expect(await obtain("killed")).toHaveLength(3);
  expect(await leftovers(store)).toEqual([]);
});
