import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { parse } from "yaml";

const checkout = join(import.meta.dirname, "../..");
const file = "cli/node-version.cjs";

let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), "node-version-"))));
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A Node.js that says it is an older one, and knows no TypeScript as that one does. */
async function older(version: string, args: readonly string[], env = {}) {
  const claims = join(directory, "claims.cjs");
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  await writeFile(claims, `Object.defineProperty(process, "versions", { value: ${versions} });`);
  const node = ["--no-experimental-strip-types", "--require", claims, ...args];
  const { exitCode, all } = await execa(process.execPath, node, { cwd: checkout, env, all: true, reject: false });
  return [exitCode, all];
}

const forCommands =
  "run `npm ci`, which brings Node.js 24 for this checkout (and must be allowed to run the install script of the package `node`)";
const forPulumi =
  "run `npm run pulumi -- <arguments>` instead of `pulumi <arguments>`, after `npm ci`, which brings Node.js 24 for this " +
  "checkout; or put a later Node.js first on PATH";
const tooOld = (found: string, remedy: string) => `Node.js ${found} is too old, want 22.18 or later: ${remedy}`;

describe("every npm script that runs a file of ours", () => {
  const scripts = async () => {
    const { scripts } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    return Object.values(scripts).filter((script) => script.startsWith("node "));
  };

  test("looks at the version of Node.js first", async () => {
    expect((await scripts()).length).toBeGreaterThan(8);
    for (const script of await scripts()) expect(script).toMatch(/^node --require \.\/cli\/node-version\.cjs \S+\.ts$/);
  });

  test("ends with what was found, what is needed and what to do, where it is too old", async () => {
    for (const version of ["18.12.0", "20.20.2", "22.17.1"]) {
      const [, ...args] = (await scripts())[0]!.split(" ");
      expect(await older(version, args)).toEqual([1, tooOld(version, forCommands)]);
    }
  });
});

test("the program that a plain pulumi runs ends so too, before anything is loaded that the older one cannot read", async () => {
  const project = parse(await readFile(join(checkout, "Pulumi.yaml"), "utf8")) as {
    main: string;
    runtime: { options: { nodeargs: string } };
  };
  // As pulumi-language-nodejs runs it; `run` asks for the address of an engine when it gets as far as that.
  const args = [...project.runtime.options.nodeargs.split(" "), "node_modules/@pulumi/pulumi/cmd/run", project.main];
  const env = { PULUMI_CONFIG: "{}" };
  expect(await older("20.20.2", args, env)).toEqual([1, tooOld("20.20.2", forPulumi)]);
});

test("a checkout without its npm packages is told to install them, before anything misses one", async () => {
  await mkdir(join(directory, "cli"));
  await copyFile(join(checkout, file), join(directory, file));
  const run = async () => {
    const { exitCode, all } = await execa(process.execPath, [join(directory, file)], { all: true, reject: false });
    return [exitCode, all];
  };
  expect(await run()).toEqual([1, "The npm packages of this checkout are not installed: run `npm ci`"]);
  await mkdir(join(directory, "node_modules/@pulumi/pulumi"), { recursive: true });
  expect(await run()).toEqual([0, ""]);
});

test("one in a directory with a colon, which PATH takes for two, is not told to install what would not be found", async () => {
  const cli = join(directory, "a:b/cli");
  await mkdir(cli, { recursive: true });
  await copyFile(join(checkout, file), join(cli, "node-version.cjs"));
  const remedy =
    "the one of this checkout is not found, as no PATH can name a directory with a `:`: move the checkout, or put a later " +
    "Node.js first on PATH";
  expect(await older("20.20.2", [join(cli, "node-version.cjs")])).toEqual([1, tooOld("20.20.2", remedy)]);
});

test("an empty HOME counts as none: nothing is looked for, or put, below the working directory", async () => {
  const home = ["--require", join(checkout, file), "-p", "require('node:os').homedir()"];
  const { stdout } = await execa(process.execPath, home, { cwd: directory, env: { HOME: "" } });
  expect(stdout).toBe(userInfo().homedir);
});
