import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";

const main = join(import.meta.dirname, "../../../toolchain/plugins/dynamic/main.ts");

let directory: string;
beforeEach(async () => (directory = await realpath(await mkdtemp(join(tmpdir(), "dynamic-")))));
afterEach(() => rm(directory, { recursive: true }));

test("the SDK's dynamic provider is that of the project, whatever its directory is called", async () => {
  const project = join(directory, "feature%2Fa b#c?d");
  const sdk = join(project, "node_modules/@pulumi/pulumi");
  await mkdir(join(sdk, "cmd/dynamic-provider"), { recursive: true });
  await writeFile(join(sdk, "index.js"), "");
  await writeFile(join(sdk, "cmd/dynamic-provider/index.js"), "console.log(__dirname); process.exit();");
  const env = { KARMADA_SDK_DEBUG: "true", PULUMI_DEBUG_PROMISE_LEAKS: "true" };
  const { stdout } = await execa(process.execPath, [main, "127.0.0.1:1"], { cwd: project, env });
  expect(stdout).toBe(join(sdk, "cmd/dynamic-provider"));
});
