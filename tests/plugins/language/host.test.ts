/** The language host over gRPC, as the engine speaks to it; PLUGIN_UNDER_TEST=path names another one. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import grpc from "@grpc/grpc-js";
import analyzerGrpc from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
import analyzerPb from "@pulumi/pulumi/proto/analyzer_pb.js";
import languageGrpc from "@pulumi/pulumi/proto/language_grpc_pb.js";
import languagePb from "@pulumi/pulumi/proto/language_pb.js";
import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import { encode } from "../../../toolchain/plugins/server/wire.ts";
import { startEngine, type EngineStub } from "../support/engine.ts";
import { installedVersion, root } from "../support/plugin.ts";
import { startProcess, type PluginProcess } from "../support/process.ts";

let directory: string;
let engine: EngineStub;
let host: PluginProcess;
let client: InstanceType<typeof languageGrpc.LanguageRuntimeClient>;

beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), "language-host-")));
  engine = await startEngine();
  const official = process.env["PLUGIN_UNDER_TEST"];
  const ours = join(root, "toolchain", "plugins", "language-nodejs", "main.ts");
  // which package manager is a program's is told by its lock file, when that package manager is there
  const managers = join(directory, "bin");
  await mkdir(managers);
  for (const name of ["yarn", "pnpm", "bun"])
    await writeFile(join(managers, name), "#!/bin/sh\necho 1.0.0\n", { mode: 0o755 });
  const env = { PATH: [managers, process.env["PATH"]].join(delimiter) };
  host = await startProcess(official ?? process.execPath, [...(official ? [] : [ours]), engine.address], { env });
  client = new languageGrpc.LanguageRuntimeClient(`127.0.0.1:${host.port}`, grpc.credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await host.stop();
  await engine.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Writes files below the test's directory; a `package.json` may be given as an object. */
async function write(files: Readonly<Record<string, string | object>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
}

function info(program: string, options = {}) {
  return new languagePb.ProgramInfo()
    .setRootDirectory(join(directory, program))
    .setProgramDirectory(join(directory, program))
    .setEntryPoint(".")
    .setOptions(encode(options));
}

function call<Response>(start: (done: (error: grpc.ServiceError | null, response: Response) => void) => void) {
  return new Promise<Response>((resolve, reject) =>
    start((error, response) => (error ? reject(error) : resolve(response))),
  );
}

test("the plugins a program needs are those its packages declare, wherever they lie", async () => {
  const plugin = (name: string, version: string, pulumi = {}) => ({
    name,
    version,
    pulumi: { resource: true, ...pulumi },
  });
  await write({
    "needs/package.json": { name: "needs", pulumi: { resource: true } },
    "needs/node_modules/@pulumi/random/package.json": plugin("@pulumi/random", "4.21.1"),
    "needs/node_modules/@pulumi/random/node_modules/@pulumi/tls/package.json": plugin("@pulumi/tls", "5.5.1"),
    "needs/node_modules/third-party/package.json": plugin("third-party", "1.0.0", {
      name: "third",
      server: "https://x",
    }),
    "needs/node_modules/named/package.json": plugin("named", "2.0.0", { name: "other", version: "3.1.0" }),
    "needs/node_modules/nameless/package.json": plugin("nameless", "1.0.0"),
    "needs/node_modules/broken/package.json": "{",
    "needs/node_modules/plain/package.json": { name: "plain", version: "1.0.0" },
    "needs/below/node_modules/@pulumi/command/package.json": plugin("@pulumi/command", "v1.2.1"),
    "needs/policy/PulumiPolicy.yaml": "runtime: nodejs",
    "needs/policy/node_modules/@pulumi/aws/package.json": plugin("@pulumi/aws", "6.0.0"),
    "linked/package.json": plugin("@pulumi/kubernetes", "4.32.0"),
  });
  await symlink(join(directory, "linked"), join(directory, "needs/node_modules/@pulumi/kubernetes"));
  const response = await call<InstanceType<typeof languagePb.GetRequiredPackagesResponse>>((done) =>
    client.getRequiredPackages(new languagePb.GetRequiredPackagesRequest().setInfo(info("needs")), done),
  );
  const found = response.getPackagesList().map((each) => [each.getName(), each.getVersion(), each.getServer()]);
  expect(found.toSorted()).toEqual([
    ["command", "v1.2.1", ""],
    ["kubernetes", "v4.32.0", ""],
    ["other", "v3.1.0", ""],
    ["random", "v4.21.1", ""],
    ["third", "v1.0.0", "https://x"],
    ["tls", "v5.5.1", ""],
  ]);
});

test("the version is that of the SDK, as the official host writes it", async () => {
  const plugin = await call<{ getVersion(): string }>((done) => client.getPluginInfo(new emptyPb.Empty(), done));
  expect(plugin.getVersion()).toBe(`v${installedVersion("@pulumi/pulumi")}`);
});

/** What the host says a program depends on. */
async function dependencies(program: string, transitive: boolean): Promise<string[]> {
  const request = new languagePb.GetProgramDependenciesRequest()
    .setInfo(info(program))
    .setTransitivedependencies(transitive);
  const response = await call<InstanceType<typeof languagePb.GetProgramDependenciesResponse>>((done) =>
    client.getProgramDependencies(request, done),
  );
  return response
    .getDependenciesList()
    .map((each) => `${each.getName()} ${each.getVersion()}`)
    .toSorted();
}

test("a program's dependencies come from its lock file", async () => {
  await write({
    "locked/package.json": { name: "locked", dependencies: { a: "^1" }, devDependencies: { "@s/b": "*" } },
    "locked/package-lock.json": {
      lockfileVersion: 3,
      packages: {
        "": { name: "locked", dependencies: { a: "^1" }, devDependencies: { "@s/b": "*" } },
        "node_modules/a": { version: "1.2.3", resolved: "https://r/a.tgz", integrity: "sha512-x" },
        "node_modules/@s/b": { version: "2.0.0", resolved: "https://r/b.tgz", integrity: "sha512-x" },
        "node_modules/a/node_modules/c": { version: "0.1.0", resolved: "https://r/c.tgz", integrity: "sha512-x" },
      },
    },
  });
  expect(await dependencies("locked", false)).toEqual(["@s/b 2.0.0", "a 1.2.3"]);
  expect(await dependencies("locked", true)).toEqual(["@s/b 2.0.0", "a 1.2.3", "c 0.1.0"]);
});

test.each([
  {
    what: "npm 6",
    file: "package-lock.json",
    text: JSON.stringify({
      lockfileVersion: 1,
      dependencies: {
        a: { version: "1.2.3", dependencies: { c: { version: "0.1.0" } } },
        "@s/b": { version: "2.0.0", dev: true },
      },
    }),
  },
  {
    what: "yarn",
    file: "yarn.lock",
    text:
      '# yarn lockfile v1\n\n\n"@s/b@*", "@s/b@^2":\n  version "2.0.0"\n  resolved "https://r/b.tgz#x"\n\n' +
      'a@^1:\n  version "1.2.3"\n  dependencies:\n    c "^0.1.0"\n\nc@^0.1.0:\n  version "0.1.0"\n\n' +
      'c@^0.2.0:\n  version "0.2.0"\n',
  },
  {
    what: "pnpm 7",
    file: "pnpm-lock.yaml",
    text: "lockfileVersion: 5.4\npackages:\n\n  /@s/b/2.0.0:\n    dev: true\n\n  /a/1.2.3:\n    dev: false\n\n  /c/0.1.0:\n    dev: false\n",
  },
  {
    what: "pnpm 10",
    file: "pnpm-lock.yaml",
    text:
      "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      a:\n        specifier: ^1\n        version: 1.2.3(c@0.1.0)\n\n" +
      "packages:\n\n  '@s/b@2.0.0':\n    engines: {node: '>=8'}\n\n  a@1.2.3:\n    engines: {node: '>=8'}\n\n  c@0.1.0:\n    engines: {node: '>=8'}\n\n" +
      "snapshots:\n\n  a@1.2.3(c@0.1.0):\n    dependencies:\n      c: 0.1.0\n",
  },
  {
    what: "bun",
    file: "bun.lock",
    text: '{\n  "lockfileVersion": 1,\n  "workspaces": {\n    "": { "name": "x", },\n  },\n  "packages": {\n    "@s/b": ["@s/b@2.0.0", "", {}, "sha512-x"],\n\n    "a": ["a@1.2.3", "", { "dependencies": { "c": "^0.1.0" } }, "sha512-x"],\n\n    "c": ["c@0.1.0", "", {}, "sha512-x"],\n  }\n}\n',
  },
])("the lock file of $what is read when it is the program's", async ({ what, file, text }) => {
  const program = `locked-by-${what.replace(" ", "-")}`;
  const manifest = { name: "locked", dependencies: { a: "^1" }, devDependencies: { "@s/b": "*" } };
  await write({ [`${program}/package.json`]: manifest, [`${program}/${file}`]: text });
  expect(await dependencies(program, false)).toEqual(["@s/b 2.0.0", "a 1.2.3"]);
  expect(await dependencies(program, true)).toEqual(["@s/b 2.0.0", "a 1.2.3", "c 0.1.0"]);
});

test("a program without a lock file is told so", async () => {
  await write({ "unlocked/package.json": { name: "unlocked" } });
  await expect(dependencies("unlocked", true)).rejects.toThrow(
    `failed to get node dependencies: no package-lock.json found (searching upwards from ${directory}/unlocked)`,
  );
});

test("a runtime option of the wrong type is refused by name", async () => {
  const request = new languagePb.AboutRequest().setInfo(info("needs", { packagemanager: "cargo" }));
  await expect(call((done) => client.about(request, done))).rejects.toThrow(
    'packagemanager option must be one of auto, npm, yarn, pnpm or bun, got "cargo"',
  );
});

/** Runs a plugin and gives what it printed, chunk by chunk, and how it ended. */
function runPlugin(kind: string, program: string, onStdout: (text: string) => void = () => {}) {
  const request = new languagePb.RunPluginRequest()
    .setKind(kind)
    .setPwd(directory)
    .setInfo(info(program, { typescript: false }))
    .setArgsList([engine.address])
    .setEnvList([`PATH=${process.env["PATH"]}`, "GIVEN=given"]);
  const stream = client.runPlugin(request);
  const printed = { stdout: "", stderr: "" };
  stream.on("data", (chunk: InstanceType<typeof languagePb.RunPluginResponse>) => {
    const text = Buffer.from(chunk.getStdout_asU8()).toString();
    printed.stdout += text;
    printed.stderr += Buffer.from(chunk.getStderr_asU8()).toString();
    if (text !== "") onStdout(printed.stdout);
  });
  const ended = new Promise<{ stdout: string; stderr: string; error?: string }>((resolve) => {
    stream.once("end", () => resolve(printed));
    stream.once("error", (error: grpc.ServiceError) => resolve({ ...printed, error: error.details }));
  });
  return { ended, cancel: () => stream.cancel() };
}

async function withPackages(program: string): Promise<void> {
  await symlink(join(root, "node_modules"), join(directory, program, "node_modules"));
}

test("a plugin that is a program runs with the given environment, and its failure is told by its exit code", async () => {
  await write({
    "plugin/package.json": { name: "plugin", main: "index.js" },
    "plugin/index.js": `console.log(process.env.GIVEN, process.cwd()); console.error("oh"); process.exit(3);`,
  });
  await withPackages("plugin");
  expect(await runPlugin("resource", "plugin").ended).toEqual({
    stdout: `given ${directory}\n`,
    stderr: "oh\n",
    error: "Program exited with non-zero exit code: 3",
  });
});

test("a policy pack starts with the stack in its environment and then answers the engine", async () => {
  await write({
    "policy-pack/PulumiPolicy.yaml": "runtime: nodejs\nmain: index.js\n",
    "policy-pack/package.json": { name: "policy-pack", main: "index.js" },
    "policy-pack/index.js": `
      const grpc = require("@grpc/grpc-js");
      const { AnalyzerService } = require("@pulumi/pulumi/proto/analyzer_grpc_pb");
      const { AnalyzerInfo } = require("@pulumi/pulumi/proto/analyzer_pb");
      const server = new grpc.Server();
      const { PULUMI_NODEJS_STACK: stack, PULUMI_CONFIG: config } = process.env;
      server.addService(AnalyzerService, {
        getAnalyzerInfo: (call, done) => done(null, new AnalyzerInfo().setName(stack).setDisplayname(config)),
      });
      server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_, port) => {
        console.log(port);
        console.log("ready");
      });
    `,
  });
  await withPackages("policy-pack");
  const port = Promise.withResolvers<number>();
  const run = runPlugin("analyzer", "policy-pack", (text) => text.includes("\n") && port.resolve(parseInt(text, 10)));
  const pack = new analyzerGrpc.AnalyzerClient(`127.0.0.1:${await port.promise}`, grpc.credentials.createInsecure());
  try {
    await call((done) => pack.handshake(new analyzerPb.AnalyzerHandshakeRequest(), done));
    const stack = new analyzerPb.AnalyzerStackConfigureRequest().setStack("prod").setProject("p");
    stack.getConfigMap().set("p:key", "value");
    await call((done) => pack.configureStack(stack, done));
    const answer = await call<InstanceType<typeof analyzerPb.AnalyzerInfo>>((done) =>
      pack.getAnalyzerInfo(new emptyPb.Empty(), done),
    );
    expect([answer.getName(), JSON.parse(answer.getDisplayname())]).toEqual(["prod", { "p:key": "value" }]);
  } finally {
    pack.close();
    run.cancel();
  }
  expect((await run.ended).stdout).toMatch(/^\d+\nready\n$/);
});

test("code generation is refused by name", async () => {
  if (process.env["PLUGIN_UNDER_TEST"]) return; // the official host has it
  const request = new languagePb.GenerateProgramRequest();
  await expect(call((done) => client.generateProgram(request, done))).rejects.toThrow(
    /GenerateProgram: not in this stand-in of the Node\.js language host\ninstall the official Pulumi CLI/,
  );
});

test("an interrupt ends it at once", async () => {
  const command = process.env["PLUGIN_UNDER_TEST"] ?? process.execPath;
  const ours = join(root, "toolchain", "plugins", "language-nodejs", "main.ts");
  const other = await startProcess(command, command === process.execPath ? [ours] : []);
  expect((await other.stop()).seconds).toBeLessThan(1.5);
});
