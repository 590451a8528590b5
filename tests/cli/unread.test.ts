import { execFile } from "node:child_process";
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
