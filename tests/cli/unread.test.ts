import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const script = `
  import { setTimeout as sleep } from "node:timers/promises";
  import { unread } from ${JSON.stringify(join(import.meta.dirname, "../../cli/stack/unread.ts"))};
  const signal = unread();
  let left = 30;
  while (!signal.aborted && left-- > 0) {
    console.log("line");
    await sleep(100, undefined, { signal }).catch(() => {});
  }
  console.error(signal.aborted ? "ended early" : "went on");`;

const run = (pipe: string) =>
  promisify(execFile)("sh", ["-c", `"$0" --no-warnings --input-type=module -e "$1" ${pipe}`, process.execPath, script]);

test("what prints again and again ends when head has seen enough", async () => {
  expect(await run("| head -1")).toEqual({ stdout: "line\n", stderr: "ended early\n" });
}, 30_000);

test("what is read to its end goes on to it", async () => {
  expect(await run("| wc -l")).toEqual({ stdout: "30\n", stderr: "went on\n" });
}, 30_000);

const working = `
  import { writeFileSync } from "node:fs";
  import { setTimeout as sleep } from "node:timers/promises";
  import { command } from ${JSON.stringify(join(import.meta.dirname, "../../cli/stack/command.ts"))};
  process.exitCode = await command({
    name: "npm run test",
    help: "help",
    async run() {
      for (let i = 0; i < 5; i++) {
        console.log("line");
        console.error("progress");
        await sleep(100);
      }
      writeFileSync(process.env.DONE, "done");
      return 3;
    },
  });
  writeFileSync(process.env.DONE, \`exit code \${process.exitCode}\`);`;

test("a command of which nobody reads on what it prints comes to its end", async () => {
  const directory = await mkdtemp(join(tmpdir(), "unread-"));
  try {
    const env = { ...process.env, DONE: join(directory, "done") };
    const pipe = '{ "$0" --no-warnings --input-type=module -e "$1"; echo $? > "$DONE.code"; } 2>&1 | head -1';
    const { stdout } = await promisify(execFile)("sh", ["-c", pipe, process.execPath, working], { env });
    expect(stdout).toBe("line\n");
    expect(await readFile(env.DONE, "utf8")).toBe("exit code 3");
    expect(await readFile(`${env.DONE}.code`, "utf8")).toBe("3\n");
  } finally {
    await rm(directory, { recursive: true });
  }
}, 30_000);

test("a command comes to its end on a full disk, too, and says that what it printed is lost", async () => {
  const directory = await mkdtemp(join(tmpdir(), "unread-"));
  try {
    const env = { ...process.env, DONE: join(directory, "done") };
    const pipe = '"$0" --no-warnings --input-type=module -e "$1" >/dev/full; echo $?';
    const ended = await promisify(execFile)("sh", ["-c", pipe, process.execPath, working.replace("3;", "0;")], { env });
    expect(ended.stdout).toBe("1\n");
    expect(ended.stderr).toBe(
      `${"progress\n".repeat(5)}npm run test: part of its output is lost: ENOSPC: no space left on device, write\n`,
    );
    expect(await readFile(env.DONE, "utf8")).toBe("exit code 0");
  } finally {
    await rm(directory, { recursive: true });
  }
}, 30_000);
