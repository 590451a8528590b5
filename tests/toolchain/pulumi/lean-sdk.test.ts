import { execa } from "execa";

const checkout = new URL("../../../", import.meta.url).pathname;

/** Runs a module in the checkout as the program of a stack runs, and gives back what it printed. */
async function run(program: string, args: readonly string[] = [], env = {}): Promise<string> {
  const node = [
    "--import",
    "./toolchain/pulumi/lean-sdk.ts",
    "--input-type=commonjs",
    "--eval",
    program,
    "--",
    ...args,
  ];
  return (await execa(process.execPath, node, { cwd: checkout, env })).stdout;
}

test("a program that pulumi starts without this project's commands reaches the engine where a proxy is named", async () => {
  const env = { http_proxy: "http://127.0.0.1:9", no_proxy: "", NO_PROXY: "" };
  expect(await run("console.log(process.env.no_proxy)", [], env)).toBe("127.0.0.1,localhost,::1");
});

const compilerLoaded = `require("node:util").types.isProxy(require("@pulumi/pulumi/typescript-shim")) ? "no" : "yes"`;

test("the SDK starts without the TypeScript compiler", async () => {
  expect(await run(`require("@pulumi/pulumi"); console.log(${compilerLoaded})`)).toBe("no");
});

test("who writes a function out as text gets the compiler then", async () => {
  const text = await run(`
    const pulumi = require("@pulumi/pulumi");
    const one = 1;
    pulumi.runtime.serializeFunction(() => one + 2).then(({ text }) => console.log(text));
  `);
  expect(text).toContain("one: 1");
  expect(text).toContain("return () => one + 2;");
});

test("V8's debugger is asked only for functions that are written out, and then knows what was loaded before", async () => {
  const said = await run(`
    const { Session } = require("node:inspector");
    const { post } = Session.prototype;
    let asked = false;
    Session.prototype.post = function (...call) { asked = true; return post.apply(this, call); };
    require("@pulumi/pulumi/runtime/closure/v8Hooks").isInitializedAsync().then(async () => {
      const { runtime } = require("@pulumi/pulumi");
      console.log(asked);
      const { getFunctionLocationAsync } = require("@pulumi/pulumi/runtime/closure/v8");
      const { file } = await getFunctionLocationAsync(runtime.serializeFunction);
      console.log(asked, file.endsWith("/closure/serializeClosure.js"));
    });
  `);
  expect(said).toBe("false\ntrue true");
});

test("the compiler is the real one for whoever asks for it", async () => {
  const direct = await execa(process.execPath, ["--eval", 'console.log(require("typescript").version)'], {
    cwd: checkout,
  });
  const program = `require("@pulumi/pulumi"); console.log(require("@pulumi/pulumi/typescript-shim").version)`;
  expect(await run(program)).toBe(direct.stdout);
});

const isLoaded = (part: string) =>
  `Object.keys(require.cache).some((path) => path.includes(${JSON.stringify(part)}) && require.cache[path].children !== undefined)`;

test("the Automation API and the Kubernetes SDK's charts and YAML are loaded for whoever uses them, and for nobody else", async () => {
  const parts = {
    automation: "/pulumi/automation/stack",
    charts: "/kubernetes/helm/v3",
    yaml: "/kubernetes/yaml/yaml",
  };
  const loaded = `console.log(JSON.stringify([${Object.values(parts).map(isLoaded).join()}]));`;
  const said = await run(`
    const { automation } = require("@pulumi/pulumi");
    const { helm, yaml } = require("@pulumi/kubernetes");
    ${loaded}
    console.log(typeof automation.LocalWorkspace.createStack, typeof helm.v3.Chart, typeof yaml.v2.ConfigFile);
    ${loaded}
    console.log(helm.v3.Chart === require("@pulumi/kubernetes/helm/v3").Chart);
  `);
  expect(said.split("\n")).toEqual(["[false,false,false]", "function function function", "[true,true,true]", "true"]);
});

const exporter = `
  require("@pulumi/pulumi/cmd/run/tracing");
  console.log(Object.keys(require.cache).filter((path) => path.includes("opentelemetry/exporter-zipkin/build")).length > 1);
`;

test("OpenTelemetry is loaded for a run that is traced, and for no other", async () => {
  expect(await run(exporter)).toBe("false");
  expect(await run(exporter, ["--tracing=http://127.0.0.1:9411"])).toBe("true");
  expect(await run(exporter, [], { TRACEPARENT: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" })).toBe(
    "true",
  );
});

const stacks = `
  const promise = Promise.resolve();
  require("@pulumi/pulumi/runtime/debuggable").debuggablePromise(promise, "context");
  console.log(promise._debugStackTrace.split("\\n").length > 1, new Error().stack.split("\\n").length > 1);
`;

test("promises have stacks where leaks of them are looked for, errors always", async () => {
  expect(await run(stacks)).toBe("false true");
  expect(await run(stacks, [], { PULUMI_DEBUG_PROMISE_LEAKS: "1" })).toBe("true true");
});

test("debug messages of the SDK are sent when they are asked for, and otherwise not", async () => {
  const message = `
    const { debug, info } = require("@pulumi/pulumi/log");
    require("@pulumi/pulumi/runtime/settings").getEngine = () => ({ log: (req, done) => (console.log(req.getMessage()), done()) });
    info("told").then(() => debug("in detail"));
  `;
  expect(await run(message)).toBe("told");
  expect(await run(message, [], { KARMADA_SDK_DEBUG: "true" })).toBe("told\nin detail");
});

test("a resource says where it was declared, and who has called that only to whoever wants details", async () => {
  const declared = `
    const { Resource } = require("@pulumi/pulumi/resource");
    const declare = () => Resource.stackTrace(1);
    const caller = () => declare();
    const trace = caller();
    console.log(trace[0].line, trace.length > 1);
  `;
  expect(await run(declared)).toBe("3 false");
  expect(await run(declared, [], { KARMADA_SDK_DEBUG: "true" })).toBe("3 true");
});

test("what takes something of a resource that failed is one sentence for the SDK without lines of code, what a stack refuses its own, and anything else what it is", async () => {
  const said = await run(`
    const { RunError } = require("@pulumi/pulumi");
    process.on("unhandledRejection", (reason) => console.log(RunError.isInstance(reason), reason.stack.split("\\n").length, reason.message));
    const failed = 'resource prod-member-oslo-registration [pulumi-nodejs:dynamic/members:ClusterRegistration] failed to register';
    Promise.reject(new Error('error serializing property "ways": ' + failed));
    Promise.reject(Object.assign(new RunError("x"), { message: 'error serializing property "runtime": restore.overrides: name events' }));
    Promise.reject(new Error("something else"));
  `);
  expect(said.split("\n")).toEqual([
    "true 1 prod-member-oslo-registration failed: what takes something of it is left out",
    "true 1 restore.overrides: name events",
    expect.stringMatching(/^false ([2-9]|\d\d) something else$/),
  ]);
});
