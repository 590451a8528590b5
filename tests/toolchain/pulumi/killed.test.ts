import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { execa } from "execa";
import { clearAfterKill, noteRun } from "../../../toolchain/pulumi/killed.ts";

let backend: string;
let locks: string;
let stacks: string;
let runs: string;
beforeEach(async () => {
  backend = await mkdtemp(join(tmpdir(), "backend-"));
  locks = join(backend, ".pulumi/locks/organization/karmada/dev");
  stacks = join(backend, ".pulumi/stacks/karmada");
  runs = join(backend, "runs");
  await Promise.all([locks, stacks].map((directory) => mkdir(directory, { recursive: true })));
});
afterEach(() => rm(backend, { recursive: true }));

const lock = (pid: number, host = hostname()) =>
  writeFile(join(locks, "1.json"), JSON.stringify({ pid, username: "me", hostname: host, timestamp: "2026-01-01" }));
const url = () => pathToFileURL(backend).href;
/** A lock of a run of this checkout. */
const ownLock = async (pid: number) => {
  noteRun(pid, url(), runs);
  await lock(pid);
};
const clear = (of = url()) => clearAfterKill(of, runs);

test("the lock of a process that has ended is removed, and said so", async () => {
  const pid = Number((await execa("sh", ["-c", "echo $$"])).stdout);
  await ownLock(pid);
  expect(await clear()).toEqual([`removed the lock of process ${pid}, which is no more: ${join(locks, "1.json")}`]);
  expect(await readdir(locks)).toEqual([]);
});

test("the lock of a living pulumi stays", async () => {
  const name = join(backend, "pulumi");
  await writeFile(name, "#!/bin/sh\nread line\n", { mode: 0o755 });
  const running = execa(name, { reject: false });
  try {
    await ownLock(running.pid!);
    expect(await clear()).toEqual([]);
    expect(await readdir(locks)).toEqual(["1.json"]);
  } finally {
    running.kill("SIGKILL");
    await running;
  }
});

const onLinux = process.platform === "linux" ? test : test.skip;
onLinux("the lock of a pulumi that has ended is removed, also when nobody has asked how it ended", async () => {
  const name = join(backend, "pulumi");
  // A shell asks how its children ended until it has become something else.
  await writeFile(name, "#!/bin/sh\nuntil grep -q sleep /proc/$PPID/comm; do :; done\nexit 1\n", { mode: 0o755 });
  const parent = execa("sh", ["-c", '"$1" & echo $!; exec sleep 60', "sh", name], { reject: false });
  try {
    const pid = Number(await new Promise((resolve) => parent.stdout.once("data", (line) => resolve(String(line)))));
    await ownLock(pid);
    while (!(await readFile(`/proc/${pid}/stat`, "utf8")).includes(") Z ")) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(await clear()).toEqual([expect.stringContaining(`process ${pid}, which is no more`)]);
    expect(await readdir(locks)).toEqual([]);
  } finally {
    parent.kill("SIGKILL");
    await parent;
  }
});

test("a lock taken on another machine stays", async () => {
  noteRun(999_999_999, url(), runs);
  await lock(999_999_999, "elsewhere.example.org");
  expect(await clear()).toEqual([]);
});

test("a lock of somebody else stays, though this machine is called the same and has no such process", async () => {
  await lock(999_999_999);
  noteRun(999_999_999, pathToFileURL(join(backend, "another")).href, runs);
  expect(await clear()).toEqual([]);
  noteRun(999_999_999, url(), runs)();
  expect(await clear()).toEqual([]);
  expect(await readdir(locks)).toEqual(["1.json"]);
});

onLinux(
  "the lock of a run in another container, whose number means nothing here, stays until the machine has started anew",
  async () => {
    await ownLock(999_999_999);
    const note = join(runs, "999999999");
    const noted = JSON.parse(await readFile(note, "utf8")) as Record<string, string>;
    await writeFile(note, JSON.stringify({ ...noted, namespace: "pid:[1]" }));
    expect(await clear()).toEqual([]);
    await writeFile(note, JSON.stringify({ ...noted, namespace: "pid:[1]", boot: "an earlier one" }));
    expect(await clear()).toEqual([expect.stringContaining("process 999999999, which is no more")]);
    expect(await readdir(runs)).toEqual([]);
  },
);

test("empty metadata of a checkpoint is removed, written metadata and the state stay", async () => {
  await writeFile(join(stacks, "dev.json"), "{}");
  await writeFile(join(stacks, "dev.json.attrs"), "");
  await writeFile(join(stacks, "other.json.attrs"), "{}");
  expect(await clear(`${url()}?no_tmp_dir=true`)).toEqual([
    `removed ${join(stacks, "dev.json.attrs")}, left empty by a run that was killed`,
  ]);
  expect((await readdir(stacks)).sort()).toEqual(["dev.json", "other.json.attrs"]);
});

test.each([undefined, "https://api.pulumi.com", "s3://bucket", "file:///nowhere/at/all"])(
  "%s is left alone",
  async (backend) => {
    expect(await clear(backend)).toEqual([]);
  },
);
