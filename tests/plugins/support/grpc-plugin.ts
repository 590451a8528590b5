import grpc from "@grpc/grpc-js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import type providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import { decode, encode } from "../../../toolchain/plugins/server/wire.ts";
import type { Properties } from "../../../toolchain/plugins/server/values.ts";
import { checked, diffed, failures } from "./answers.ts";
import type { EngineStub } from "./engine.ts";
import { partialFailure } from "./partial-failure.ts";
import type { CallOptions, CheckOptions, Plugin, ResourceState, UpdateOptions } from "./plugin.ts";
import type { PluginProcess } from "./process.ts";

/** A Plugin over gRPC, with the requests the engine would send. */
export class GrpcPlugin implements Plugin {
  readonly #name: string;
  readonly #client: InstanceType<typeof providerGrpc.ResourceProviderClient>;
  readonly #engine: EngineStub;
  readonly #process: PluginProcess;

  constructor(
    name: string,
    client: InstanceType<typeof providerGrpc.ResourceProviderClient>,
    engine: EngineStub,
    child: PluginProcess,
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
    const request = about(new providerPb.ConfigureRequest(), type, "under-test")
      .setArgs(encode(inputs))
      .setAcceptsecrets(true)
      .setAcceptresources(true)
      .setSendsOldInputs(true)
      .setSendsOldInputsToDelete(true)
      .setId("00000000-0000-4000-8000-000000000000");
    for (const [key, value] of Object.entries(inputs)) {
      if (typeof value === "string") request.getVariablesMap().set(`${this.#name}:config:${key}`, value);
    }
    await call((done) => this.#client.configure(request, done));
  }

  async checkConfig(news: Properties, olds: Properties = {}) {
    const type = `pulumi:providers:${this.#name}`;
    const request = about(new providerPb.CheckRequest(), type, "under-test")
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
    const request = about(new providerPb.DiffRequest(), type, "under-test")
      .setOlds(encode(olds))
      .setOldInputs(encode(oldInputs))
      .setNews(encode(news));
    return diffed(await call((done) => this.#client.diffConfig(request, done)));
  }

  async check(type: string, news: Properties, options: CheckOptions = {}) {
    const { name = "thing", olds = {}, randomSeed = new Uint8Array(32).fill(7), autonaming } = options;
    const request = about(new providerPb.CheckRequest(), type, name)
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
    const request = about(new providerPb.DiffRequest(), type)
      .setId(state.id)
      .setOlds(encode(state.outputs))
      .setOldInputs(encode(state.inputs))
      .setNews(encode(news))
      .setIgnorechangesList(ignoreChanges);
    return diffed(await call((done) => this.#client.diff(request, done)));
  }

  async create(type: string, inputs: Properties, { name = "thing", timeout = 0 }: CallOptions = {}) {
    const request = about(new providerPb.CreateRequest(), type, name).setProperties(encode(inputs)).setTimeout(timeout);
    const response = await call<pb.CreateResponse>((done) => this.#client.create(request, done));
    return { id: response.getId(), outputs: decode(response.getProperties()), inputs };
  }

  async preview(type: string, inputs: Properties) {
    const request = about(new providerPb.CreateRequest(), type).setProperties(encode(inputs)).setPreview(true);
    const response = await call<pb.CreateResponse>((done) => this.#client.create(request, done));
    return decode(response.getProperties());
  }

  async read(type: string, id: string, state: Properties = {}, inputs: Properties = {}) {
    const request = about(new providerPb.ReadRequest(), type)
      .setId(id)
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
    const request = about(new providerPb.UpdateRequest(), type, options.name)
      .setId(state.id)
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
    const request = about(new providerPb.DeleteRequest(), type, name)
      .setId(state.id)
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

  async stop() {
    const end = await this.#process.stop();
    this.#client.close();
    await this.#engine.stop();
    return end;
  }

  async [Symbol.asyncDispose]() {
    await this.stop();
  }
}

/** Says which resource a request is about. */
function about<
  Request extends { setUrn(urn: string): Request; setName(name: string): Request; setType(type: string): Request },
>(request: Request, type: string, name = "thing"): Request {
  return request.setUrn(`urn:pulumi:test::plugins::${type}::${name}`).setName(name).setType(type);
}

/** One gRPC call as a promise; a partial failure is rejected as PartialFailure with its state decoded. */
function call<Response>(start: (done: (error: grpc.ServiceError | null, response: Response) => void) => void) {
  return new Promise<Response>((resolve, reject) =>
    start((error, response) => (error ? reject(partialFailure(error) ?? error) : resolve(response))),
  );
}
