/** By the pulumi that runs here: what it does where it can make no directory for its logs is up to it. */
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { chooseAutomaticLogs } from "../../../toolchain/pulumi/automatic-logs.ts";
import { pulumiEnvironment } from "../../../toolchain/pulumi/index.ts";

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "automatic-logs-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function pulumi() {
  const { path, env } = await pulumiEnvironment();
  return execa(path, ["plugin", "ls", "--json"], { env: { ...env, PULUMI_HOME: home }, extendEnv: false });
}

test("pulumi writes no log of its own, says nothing of that and works", async () => {
  await chooseAutomaticLogs(home, false);
  const { stdout, stderr } = await pulumi();
  expect(JSON.parse(stdout)).toEqual([]);
  expect(stderr).toBe("");
  expect(await readdir(join(home, "debug-logs"))).toEqual([]);
});

test("it writes one when it is wanted, which stays when the next is not", async () => {
  await chooseAutomaticLogs(home, false);
  await chooseAutomaticLogs(home, true);
  await pulumi();
  const logs = await readdir(join(home, "debug-logs"));
  expect(logs).toEqual([expect.stringMatching(/^pulumi-.*plugin_list\.log$/)]);
  await chooseAutomaticLogs(home, false);
  await pulumi();
  expect(await readdir(join(home, "debug-logs"))).toEqual(logs);
});

test("logs of before are kept", async () => {
  await mkdir(join(home, "logs"));
  await writeFile(join(home, "logs", "one.log"), "text");
  await chooseAutomaticLogs(home, false);
  expect(await readlink(join(home, "logs"))).toBe("/dev/null");
  const [before] = await readdir(join(home, "debug-logs"));
  expect(await readFile(join(home, "debug-logs", before!, "one.log"), "utf8")).toBe("text");
});
