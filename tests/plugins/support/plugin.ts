import { createRequire } from "node:module";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { channelOptions } from "../../../toolchain/plugins/server/channel.ts";
import type { CheckFailure, PropertyDiff } from "../../../toolchain/plugins/server/provider.ts";
import type { Properties } from "../../../toolchain/plugins/server/values.ts";
import { startEngine } from "./engine.ts";
import type { EngineStub } from "./engine.ts";
import { GrpcPlugin } from "./grpc-plugin.ts";
import { startProcess } from "./process.ts";
import type { PluginProcess } from "./process.ts";

export const root = join(import.meta.dirname, "..", "..", "..");

/** A running plugin, spoken to as the engine does. Values are decoded with secrets visible as Secret. */
export interface Plugin extends AsyncDisposable {
  /** What the plugin wrote to the user's screen so far. */
  readonly messages: EngineStub["messages"];
  /** The plugin process. */
  readonly pid: number;
  /** Sends CheckConfig and Configure; `startPlugin` does it already when given `config`. */
  configure(config: Properties): Promise<void>;
  checkConfig(news: Properties, olds?: Properties): Promise<{ inputs: Properties; failures: CheckFailure[] }>;
  diffConfig(olds: Properties, oldInputs: Properties, news: Properties): Promise<DiffAnswer>;
  check(
    type: string,
    news: Properties,
    options?: CheckOptions,
  ): Promise<{ inputs: Properties; failures: CheckFailure[] }>;
  /** `state` as a create, read or update gave it; `oldInputs` as checked then. */
  diff(type: string, state: ResourceState, news: Properties, ignoreChanges?: string[]): Promise<DiffAnswer>;
  create(type: string, inputs: Properties, options?: CallOptions): Promise<ResourceState>;
  /** A create in a preview. */
  preview(type: string, inputs: Properties): Promise<Properties>;
  /** `undefined` when the resource is gone. */
  read(type: string, id: string, state?: Properties, inputs?: Properties): Promise<ResourceState | undefined>;
  update(type: string, state: ResourceState, news: Properties, options?: UpdateOptions): Promise<Properties>;
  delete(type: string, state: ResourceState, options?: CallOptions): Promise<void>;
  invoke(token: string, args: Properties): Promise<{ result: Properties; failures: CheckFailure[] }>;
  /** Check, create and the checked inputs kept beside the outputs: what an `up` does with a new resource. */
  up(type: string, news: Properties, options?: CheckOptions & CallOptions): Promise<ResourceState>;
  cancel(): Promise<void>;
  version(): Promise<string>;
  /** Interrupts it as the engine does and waits for its end. */
  stop(): ReturnType<PluginProcess["stop"]>;
}

export interface ResourceState {
  readonly id: string;
  readonly outputs: Properties;
  readonly inputs: Properties;
}
export interface CheckOptions {
  readonly name?: string;
  readonly olds?: Properties;
  readonly randomSeed?: Uint8Array;
  readonly autonaming?: { proposedName: string; mode: 0 | 1 | 2 };
}
export interface CallOptions {
  readonly name?: string;
  /** In seconds. */
  readonly timeout?: number;
}
export interface UpdateOptions extends CallOptions {
  readonly preview?: boolean;
  readonly ignoreChanges?: string[];
}
export interface DiffAnswer {
  readonly changes: "unknown" | "none" | "some";
  readonly replaces: string[];
  readonly diffs: string[];
  readonly stables: string[];
  readonly deleteBeforeReplace: boolean;
  /** `undefined` when the plugin leaves the details to the engine. */
  readonly detailed: Record<string, PropertyDiff> | undefined;
}

/**
 * Starts the stand-in of a package, or the executable PLUGIN_UNDER_TEST names, so that the same tests say whether the
 * official plugin and ours behave alike.
 *
 * @param config the provider's inputs; configured at once. @default none
 * @param env added to the environment. @default none
 */
export async function startPlugin(name: string, options: StartOptions = {}): Promise<Plugin> {
  const official = process.env["PLUGIN_UNDER_TEST"];
  return official
    ? start(name, official, [], options)
    : startPluginProgram(name, join(root, "toolchain", "plugins", name, "main.ts"), options);
}

/** Starts a plugin of ours by its program, whatever PLUGIN_UNDER_TEST says. */
export async function startPluginProgram(name: string, program: string, options: StartOptions = {}): Promise<Plugin> {
  return start(name, join(root, "node_modules", ".bin", "node"), [program], options);
}

interface StartOptions {
  readonly config?: Properties;
  readonly env?: Record<string, string>;
}

async function start(
  name: string,
  command: string,
  args: readonly string[],
  { config = {}, env = {} }: StartOptions,
): Promise<Plugin> {
  const engine = await startEngine();
  const child = await startProcess(command, [...args, engine.address], { env });
  const client = new providerGrpc.ResourceProviderClient(
    `127.0.0.1:${child.port}`,
    grpc.credentials.createInsecure(),
    channelOptions,
  );
  const plugin = new GrpcPlugin(name, client, engine, child);
  await plugin.handshake();
  await plugin.configure(config);
  return plugin;
}

/** The version of an npm package that is installed. */
export function installedVersion(name: string): string {
  return (createRequire(import.meta.url)(`${name}/package.json`) as { version: string }).version;
}
