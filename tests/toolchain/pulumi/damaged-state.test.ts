import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stackExists } from "../../../cli/stack/pulumi.ts";
import { damagedState } from "../../../toolchain/pulumi/damaged-state.ts";

let directory: string;
let state: (file: string) => string;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "damaged-state-"));
  const stacks = join(directory, ".pulumi", "stacks", "karmada");
  state = (file) => join(stacks, file);
  env = { PULUMI_BACKEND_URL: pathToFileURL(directory).href };
  await mkdir(stacks, { recursive: true });
  await writeFile(join(directory, ".pulumi", "meta.yaml"), "version: 1\n");
  await writeFile(state("dev.json"), `{"version":3,"checkpoint":{"stack":"organization/karmada/dev","latest":null}}`);
});
afterEach(() => rm(directory, { recursive: true }));

test("states that are whole, and backends that are no directory, are nothing to tell of", async () => {
  await writeFile(state("dev.json.bak"), "");
  await writeFile(state("dev.json.attrs"), "");
  await mkdir(state("unreadable.json"));
  expect(await damagedState(env)).toBeUndefined();
  expect(await damagedState({ PULUMI_BACKEND_URL: "s3://state" })).toBeUndefined();
  expect(await damagedState({ PULUMI_BACKEND_URL: "file:///nowhere/at/all" })).toBeUndefined();
});

test("a state that was cut off is named, with what it was before it was last written", async () => {
  await writeFile(state("prod.json"), `{"version":3,`);
  await writeFile(state("prod.json.bak"), "{}");
  const [cut, former] = [state("prod.json"), state("prod.json.bak")];
  expect(await damagedState(env)).toBe(
    `${cut}: the state of stack prod is damaged (13 bytes, which are no JSON); put back what it was before it was last ` +
      `written, cp '${former}' '${cut}', and run npm run pulumi -- up --refresh --stack prod`,
  );
});

test.each([undefined, ""])("an empty one with nothing whole beside it (%j) takes a backup", async (former) => {
  await writeFile(state("prod.json"), "");
  if (former !== undefined) await writeFile(state("prod.json.bak"), former);
  expect(await damagedState(env)).toBe(
    `${state("prod.json")}: the state of stack prod is damaged (0 bytes, which are no JSON); put it back from a backup; ` +
      "docs/recovery.md says what to do without one",
  );
});

test("a command for another stack says which state keeps pulumi from reading any", async () => {
  await writeFile(state("prod.json"), "");
  const before = process.env["PULUMI_BACKEND_URL"];
  process.env["PULUMI_BACKEND_URL"] = env["PULUMI_BACKEND_URL"];
  try {
    await expect(stackExists(join(import.meta.dirname, "../../.."), "dev")).rejects.toThrow(
      `${state("prod.json")}: the state of stack prod is damaged (0 bytes`,
    );
  } finally {
    if (before === undefined) delete process.env["PULUMI_BACKEND_URL"];
    else process.env["PULUMI_BACKEND_URL"] = before;
  }
});
