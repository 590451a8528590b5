import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasEnded, processStat } from "../../toolchain/process-stat.ts";

const onLinux = process.platform === "linux" ? describe : describe.skip;

onLinux("what Linux tells of a process", () => {
  test("is read whatever its program is called, until it is no more", async () => {
    const directory = mkdtempSync(join(tmpdir(), "process-stat-"));
    const program = join(directory, "x) Z (y");
    // Some systems have one program for all of them, which goes by its name; a shell may be called anything.
    copyFileSync("/bin/sh", program);
    const child = spawn(program, ["-c", "read line"]);
    await once(child, "spawn");
    const stat = processStat(child.pid!)!;
    expect(stat.name).toBe("x) Z (y");
    expect(stat.start).toMatch(/^\d+$/);
    expect(hasEnded(stat)).toBe(false);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    rmSync(directory, { recursive: true });
    expect(processStat(child.pid!)).toBeUndefined();
  });
});
