import { createRequire } from "node:module";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import { channelOptions } from "../../../toolchain/plugins/server/channel.ts";
import type { CheckFailure, PropertyDiff } from "../../../toolchain/plugins/server/provider.ts";
import { decode, encode } from "../../../toolchain/plugins/server/wire.ts";
import type { Properties } from "../../../toolchain/plugins/server/values.ts";
import { startEngine } from "./engine.ts";
import type { EngineStub } from "./engine.ts";
import { partialFailure } from "./partial-failure.ts";
import { startProcess } from "./process.ts";

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
export async function startPlugin(
  name: string,
  { config = {}, env = {} }: { config?: Properties; env?: Record<string, string> } = {},
): Promise<Plugin> {
  const engine = await startEngine();
  const official = process.env["PLUGIN_UNDER_TEST"];
  const command = official ?? join(root, "node_modules", ".bin", "node");
  const args = official ? [] : [join(root, "toolchain", "plugins", name, "main.ts")];
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

class GrpcPlugin implements Plugin {
  readonly #name: string;
  readonly #client: InstanceType<typeof providerGrpc.ResourceProviderClient>;
  readonly #engine: EngineStub;
  readonly #process: Awaited<ReturnType<typeof startProcess>>;

  constructor(
    name: string,
    client: InstanceType<typeof providerGrpc.ResourceProviderClient>,
    engine: EngineStub,
    child: Awaited<ReturnType<typeof startProcess>>,
  ) {
    this.#name = name;
    this.#client = client;
    this.#engine = engine;
    this.#process = child;
  }

  get messages() {
    return this.#engine.messages;
  }

  get pid() {
    return this.#process.pid;
  }

  async handshake(): Promise<void> {
    const request = new providerPb.ProviderHandshakeRequest()
      .setEngineAddress(this.#engine.address)
      .setConfigureWithUrn(true)
      .setSupportsViews(true)
      .setSupportsRefreshBeforeUpdate(true)
      .setInvokeWithPreview(true);
    try {
      await call((done) => this.#client.handshake(request, done));
    } catch (error) {
      if ((error as grpc.ServiceError).code !== grpc.status.UNIMPLEMENTED) throw error; // optional in the protocol
    }
  }

  async configure(config: Properties): Promise<void> {
    const { inputs } = await this.checkConfig(config);
    const type = `pulumi:providers:${this.#name}`;
    const request = new providerPb.ConfigureRequest()
      .setArgs(encode(inputs))
      .setAcceptsecrets(true)
      .setAcceptresources(true)
      .setSendsOldInputs(true)
      .setSendsOldInputsToDelete(true)
      .setUrn(urn(type, "under-test"))
      .setName("under-test")
      .setType(type)
      .setId("00000000-0000-4000-8000-000000000000");
    for (const [key, value] of Object.entries(inputs)) {
      if (typeof value === "string") request.getVariablesMap().set(`${this.#name}:config:${key}`, value);
    }
    await call((done) => this.#client.configure(request, done));
  }

  async checkConfig(news: Properties, olds: Properties = {}) {
    const type = `pulumi:providers:${this.#name}`;
    const request = new providerPb.CheckRequest()
      .setUrn(urn(type, "under-test"))
      .setName("under-test")
      .setType(type)
      .setNews(encode(news))
      .setOlds(encode(olds));
    try {
      return checked(await call((done) => this.#client.checkConfig(request, done)));
    } catch (error) {
      if ((error as grpc.ServiceError).code !== grpc.status.UNIMPLEMENTED) throw error;
      return { inputs: news, failures: [] };
    }
  }

  async diffConfig(olds: Properties, oldInputs: Properties, news: Properties) {
    const type = `pulumi:providers:${this.#name}`;
    const request = new providerPb.DiffRequest()
      .setUrn(urn(type, "under-test"))
      .setName("under-test")
      .setType(type)
      .setOlds(encode(olds))
      .setOldInputs(encode(oldInputs))
      .setNews(encode(news));
    return diffed(await call((done) => this.#client.diffConfig(request, done)));
  }

  async check(type: string, news: Properties, options: CheckOptions = {}) {
    const { name = "thing", olds = {}, randomSeed = new Uint8Array(32).fill(7), autonaming } = options;
    const request = new providerPb.CheckRequest()
      .setUrn(urn(type, name))
      .setName(name)
      .setType(type)
      .setNews(encode(news))
      .setOlds(encode(olds))
      .setRandomseed(randomSeed);
    if (autonaming) {
      const { AutonamingOptions } = providerPb.CheckRequest;
      request.setAutonaming(new AutonamingOptions().setProposedName(autonaming.proposedName).setMode(autonaming.mode));
    }
    return checked(await call((done) => this.#client.check(request, done)));
  }

  async diff(type: string, state: ResourceState, news: Properties, ignoreChanges: string[] = []) {
    const request = new providerPb.DiffRequest()
      .setId(state.id)
      .setUrn(urn(type))
      .setName("thing")
      .setType(type)
      .setOlds(encode(state.outputs))
      .setOldInputs(encode(state.inputs))
      .setNews(encode(news))
      .setIgnorechangesList(ignoreChanges);
    return diffed(await call((done) => this.#client.diff(request, done)));
  }

  async create(type: string, inputs: Properties, { name = "thing", timeout = 0 }: CallOptions = {}) {
    const request = new providerPb.CreateRequest()
      .setUrn(urn(type, name))
      .setName(name)
      .setType(type)
      .setProperties(encode(inputs))
      .setTimeout(timeout);
    const response = await call<pb.CreateResponse>((done) => this.#client.create(request, done));
    return { id: response.getId(), outputs: decode(response.getProperties()), inputs };
  }

  async preview(type: string, inputs: Properties) {
    const request = new providerPb.CreateRequest()
      .setUrn(urn(type))
      .setName("thing")
      .setType(type)
      .setProperties(encode(inputs))
      .setPreview(true);
    const response = await call<pb.CreateResponse>((done) => this.#client.create(request, done));
    return decode(response.getProperties());
  }

  async read(type: string, id: string, state: Properties = {}, inputs: Properties = {}) {
    const request = new providerPb.ReadRequest()
      .setId(id)
      .setUrn(urn(type))
      .setName("thing")
      .setType(type)
      .setProperties(encode(state))
      .setInputs(encode(inputs));
    const response = await call<pb.ReadResponse>((done) => this.#client.read(request, done));
    if (response.getId() === "") return undefined;
    return {
      id: response.getId(),
      outputs: decode(response.getProperties()),
      inputs: decode(response.getInputs()),
    };
  }

  async update(type: string, state: ResourceState, news: Properties, options: UpdateOptions = {}) {
    const request = new providerPb.UpdateRequest()
      .setId(state.id)
      .setUrn(urn(type, options.name))
      .setName(options.name ?? "thing")
      .setType(type)
      .setOlds(encode(state.outputs))
      .setOldInputs(encode(state.inputs))
      .setNews(encode(news))
      .setIgnorechangesList(options.ignoreChanges ?? [])
      .setPreview(options.preview ?? false)
      .setTimeout(options.timeout ?? 0);
    const response = await call<pb.UpdateResponse>((done) => this.#client.update(request, done));
    return decode(response.getProperties());
  }

  async delete(type: string, state: ResourceState, { name = "thing", timeout = 0 }: CallOptions = {}) {
    const request = new providerPb.DeleteRequest()
      .setId(state.id)
      .setUrn(urn(type, name))
      .setName(name)
      .setType(type)
      .setProperties(encode(state.outputs))
      .setOldInputs(encode(state.inputs))
      .setTimeout(timeout);
    await call((done) => this.#client.delete(request, done));
  }

  async invoke(token: string, args: Properties) {
    const request = new providerPb.InvokeRequest().setTok(token).setArgs(encode(args));
    const response = await call<pb.InvokeResponse>((done) => this.#client.invoke(request, done));
    return { result: decode(response.getReturn()), failures: failures(response.getFailuresList()) };
  }

  async up(type: string, news: Properties, options: CheckOptions & CallOptions = {}) {
    const { inputs, failures: found } = await this.check(type, news, options);
    if (found.length > 0) throw new Error(found.map(({ property, reason }) => `${property}: ${reason}`).join("; "));
    return this.create(type, inputs, options);
  }

  async cancel() {
    await call((done) => this.#client.cancel(new emptyPb.Empty(), done));
  }

  async version() {
    const info = await call<{ getVersion(): string }>((done) => this.#client.getPluginInfo(new emptyPb.Empty(), done));
    return info.getVersion();
  }

  async [Symbol.asyncDispose]() {
    this.#client.close();
    await this.#process.stop();
    await this.#engine.stop();
  }
}

function urn(type: string, name = "thing"): string {
  return `urn:pulumi:test::plugins::${type}::${name}`;
}

/** One gRPC call as a promise; a partial failure is rejected as PartialFailure with its state decoded. */
function call<Response>(start: (done: (error: grpc.ServiceError | null, response: Response) => void) => void) {
  return new Promise<Response>((resolve, reject) =>
    start((error, response) => (error ? reject(partialFailure(error) ?? error) : resolve(response))),
  );
}

function checked(response: pb.CheckResponse) {
  return { inputs: decode(response.getInputs()), failures: failures(response.getFailuresList()) };
}

function failures(list: pb.CheckFailure[]): CheckFailure[] {
  return list.map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() }));
}

function diffed(response: pb.DiffResponse): DiffAnswer {
  const detailed: Record<string, PropertyDiff> = {};
  response.getDetaileddiffMap().forEach((diff: pb.PropertyDiff, path: string) => {
    detailed[path] = { kind: kinds[diff.getKind()], inputDiff: diff.getInputdiff() };
  });
  return {
    changes: changes[response.getChanges()],
    replaces: response.getReplacesList().toSorted(),
    diffs: response.getDiffsList().toSorted(),
    stables: response.getStablesList().toSorted(),
    deleteBeforeReplace: response.getDeletebeforereplace(),
    detailed: response.getHasdetaileddiff() || response.getDetaileddiffMap().getLength() > 0 ? detailed : undefined,
  };
}
/** In the order of DiffResponse.DiffChanges and PropertyDiff.Kind. */
const changes = ["unknown", "none", "some"] as const;
const kinds = ["add", "add-replace", "delete", "delete-replace", "update", "update-replace"] as const;
