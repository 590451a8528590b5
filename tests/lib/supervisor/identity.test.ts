import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, startOf } from "../../../lib/supervisor/identity.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";

/** Its first thread ends, as after SIGKILL; the others go on, as those that wait for a disk. */
const leaderless = `package main

import (
	"runtime"
	"syscall"
)

func init() { runtime.LockOSThread() }

func main() { syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0) }
`;

const onLinux = process.platform === "linux" ? it : it.skip;

describe("whether a process runs", () => {
  const directory = mkdtempSync(join(tmpdir(), "identity-"));
  afterAll(() => rmSync(directory, { recursive: true }));

  it("tells one that ended, and one that was given its number", async () => {
    const child = spawn("sleep", ["60"]);
    const pid = child.pid!;
    const start = startOf(pid)!;
    expect(isAlive(pid, start)).toBe(true);
    expect(isAlive(pid, "another boot:1")).toBe(false);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(startOf(pid)).toBeUndefined();
  });

  onLinux("counts one whose first thread alone has ended: it holds its ports and files still", async () => {
    writeFileSync(join(directory, "main.go"), leaderless);
    const program = join(directory, "leaderless");
    execFileSync("go", ["build", "-o", program, join(directory, "main.go")], {
      env: { ...process.env, CGO_ENABLED: "0" },
    });
    const child = spawn(program);
    const pid = child.pid!;
    const start = startOf(pid)!;
    const state = () => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))![1]!;
    await waitFor("its first thread to end", deadlineIn(10), async () => state() === "Z" || new Pending(state()));
    expect(isAlive(pid, start)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isAlive(pid, start)).toBe(false);
  });
});
