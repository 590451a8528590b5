import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { execa } from "execa";
import { programText } from "../../lib/own-bundle.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pod-start-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

test("a program of ours starts with its arguments, and with what another process of the pod has on its PATH", async () => {
  const [image, tools] = ["image", "tools"].map((name) => join(directory, name)) as [string, string];
  mkdirSync(image);
  mkdirSync(tools);
  const tool = join(image, "tool-of-another-image");
  writeFileSync(tool, "#!/bin/sh\necho it runs\n");
  chmodSync(tool, 0o755);
  const program = join(directory, "program.mjs.gz");
  writeFileSync(program, gzipSync("console.log(JSON.stringify(process.argv.slice(2)));"));
  const command = ["--input-type=module", "-e", programText("lib/pod-start/main.ts"), "--"];
  const starting = execa(process.execPath, [...command, program, "tool-of-another-image", tools, "one", "--two"], {
    env: { TMPDIR: directory },
    timeout: 30_000,
    stdin: "ignore",
  });
  // It is not there at once, as a container whose image is pulled.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(existsSync(join(tools, "tool-of-another-image"))).toBe(false);
  const other = spawn("sleep", ["30"], { env: { PATH: `${image}:/usr/bin:/bin` }, stdio: "ignore" });
  try {
    expect(JSON.parse((await starting).stdout)).toEqual(["one", "--two"]);
    const brought = join(tools, "tool-of-another-image");
    expect(readFileSync(brought, "utf8")).toContain("it runs");
    expect((await execa(brought)).stdout).toBe("it runs");
  } finally {
    other.kill("SIGKILL");
  }
}, 60_000);
