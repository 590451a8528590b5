/**
 * Loaded before Pulumi's SDK (`node --import`): lets it reach the engine directly where the environment names a proxy, and
 * keeps it from loading what it needs only for certain features, which is a third of the CPU time of a program that registers
 * some hundred resources.
 * - TypeScript's compiler and npm's Arborist, which write functions out as text: no dynamic resource here asks for that
 *   (see providers/dynamic.ts); whoever does gets both then.
 * - What reads packages for those, the Automation API, and of the Kubernetes SDK charts, YAML and Kustomize: the same.
 * - V8's debugger, by which the SDK learns the files that functions are from: it would be told of each file that is loaded.
 * - OpenTelemetry, unless the run is traced (`pulumi --tracing`, `TRACEPARENT`).
 * - Source maps of the SDK's own files: this project's run as they are written.
 * - The stack of each promise, which is shown with `PULUMI_DEBUG_PROMISE_LEAKS` only.
 * - Who has called whom down to each resource, all of which goes into the state and is written with it after each step: where
 *   the resource itself was declared stays.
 * - Its debug messages, which are shown with `pulumi --debug` only (environment.ts then sets `KARMADA_SDK_DEBUG`).
 */
import type { Session } from "node:inspector";
import { createRequire } from "node:module";
import { join } from "node:path";
import { directToThisMachine } from "../net/proxy.ts";
import { sayUnhandledInWords } from "./unhandled.ts";

const project = createRequire(join(process.cwd(), "Pulumi.yaml"));
const sdk = createRequire(project.resolve("@pulumi/pulumi"));
type Wrap = (...promise: readonly unknown[]) => unknown;

Object.assign(process.env, directToThisMachine(process.env));
for (const name of ["typescript", "@npmcli/arborist", "normalize-package-data"]) postpone(name, sdk);
postpone("@pulumi/pulumi/automation", project);
for (const name of ["helm", "kustomize", "yaml"]) postpone(`@pulumi/kubernetes/${name}`, project);
leaveOut("source-map-support/register");
debugWhenAsked();
sayUnhandledInWords();
if (process.env["TRACEPARENT"] === undefined && !process.argv.some((argument) => argument.startsWith("--tracing"))) {
  // What @pulumi/pulumi/cmd/run/tracing.js asks for at its start and uses when a run is traced.
  for (const name of ["exporter-zipkin", "instrumentation", "instrumentation-grpc"]) leaveOut(`@opentelemetry/${name}`);
  for (const name of ["resources", "sdk-trace-base", "sdk-trace-node"]) leaveOut(`@opentelemetry/${name}`);
}
if (!process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) promisesWithoutStacks();
if (!process.env["KARMADA_SDK_DEBUG"]) {
  withoutDebugMessages();
  withoutCallers();
}

/** The debugger is asked only when functions are written out as text; switched on anew, it tells of all files until then. */
function debugWhenAsked(): void {
  const path = resolved("@pulumi/pulumi/runtime/closure/v8Hooks", project);
  if (path === undefined) return;
  let real: Promise<Hooks> | undefined;
  let told: Hooks["getScriptUrl"] = () => undefined;
  const load = async (): Promise<Hooks> => {
    const hooks = loaded(path, placeholder) as Hooks;
    const session = await hooks.getSessionAsync();
    for (const method of ["Debugger.disable", "Debugger.enable"] as const) {
      await new Promise<void>((resolve, reject) =>
        session.post(method, (error) => (error === null ? resolve() : reject(error))),
      );
    }
    told = hooks.getScriptUrl;
    return hooks;
  };
  const placeholder = {
    __esModule: true,
    // What starts a program waits for this.
    isInitializedAsync: () => Promise.resolve(),
    getSessionAsync: async () => (await (real ??= load())).getSessionAsync(),
    getScriptUrl: (id: string) => told(id),
  };
  replace(path, placeholder);
}

/** Of `@pulumi/pulumi/runtime/closure/v8Hooks`. */
interface Hooks {
  getSessionAsync(): Promise<Session>;
  getScriptUrl(id: string): string | undefined;
}

/** Puts nothing in the place of a package. */
function leaveOut(name: string): void {
  const path = resolved(name);
  if (path !== undefined) replace(path, {});
}

/** The SDK sends the engine some five messages a resource, one after another, with all of its properties in text. */
function withoutDebugMessages(): void {
  const log = sdk("@pulumi/pulumi/log") as { debug: () => Promise<void> };
  log.debug = () => Promise.resolve();
}

/** Some 7 % of a state. */
function withoutCallers(): void {
  const { Resource } = sdk("@pulumi/pulumi/resource") as { Resource: { stackTrace: (skip: number) => unknown[] } };
  const whole = Resource.stackTrace;
  // This function is one more to be skipped.
  Resource.stackTrace = (skip) => whole(skip + 1).slice(0, 1);
}

/** The SDK takes the stack of each of its promises, several a resource, and writes it out. */
function promisesWithoutStacks(): void {
  const debuggable = sdk("@pulumi/pulumi/runtime/debuggable") as { debuggablePromise: Wrap };
  const wrap = debuggable.debuggablePromise;
  debuggable.debuggablePromise = (...promise) => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      return wrap(...promise);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  };
}

/** Puts something in the place of a package that becomes it at the first use; a package that is not there stays so. */
function postpone(name: string, from: NodeJS.Require): void {
  const path = resolved(name, from);
  if (path === undefined) return;
  const exports = new Proxy(
    {},
    {
      // An ES module, so that compiled code takes it as it is instead of copying what it has.
      get: (_, key) => key === "__esModule" || Reflect.get(loaded(path, exports), key),
    },
  );
  replace(path, exports);
}

function replace(path: string, exports: object): void {
  sdk.cache[path] = { id: path, filename: path, path, loaded: true, exports } as NodeJS.Module;
}

function resolved(name: string, from = sdk): string | undefined {
  try {
    return from.resolve(name);
  } catch {
    return undefined;
  }
}

function loaded(path: string, placeholder: object): object {
  if (sdk.cache[path]?.exports === placeholder) delete sdk.cache[path];
  return sdk(path) as object;
}
