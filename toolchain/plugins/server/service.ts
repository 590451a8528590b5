/** The gRPC service of a Provider (provider.ts): requests decoded, answers encoded, errors with their meaning. */
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import pluginPb from "@pulumi/pulumi/proto/plugin_pb.js";
import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import type { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb.js";
import { Calls } from "./calls.ts";
import { checkResponse, diffResponse, failureMessage } from "./answers.ts";
import { Engine } from "./engine.ts";
import { InvalidArguments, Unimplemented } from "./errors.ts";
import type { Provider, ProviderFunction, ResourceRequest, ResourceType } from "./provider.ts";
import { checkRequest, createRequest, deleteRequest, diffRequest, readRequest, updateRequest } from "./requests.ts";
import type { Service } from "./serve.ts";
import { decode, encode } from "./wire.ts";

/** @param engineAddress where to log, as given on the command line; Handshake and Attach tell it too. */
export function resourceProviderService(provider: Provider, engineAddress: string | undefined): Service {
  const engine = new Engine(engineAddress);
  const calls = new Calls(() => engine.heard());
  const about = (request: { getUrn(): string; getType(): string; getName(): string }, signal: AbortSignal) =>
    aboutResource(request, signal, engine);
  const resource = (request: { type: string }): ResourceType => findResource(provider, request.type);

  const implementation = {
    handshake: calls.unary(async (request: pb.ProviderHandshakeRequest) => {
      engine.connect(request.getEngineAddress());
      return new providerPb.ProviderHandshakeResponse()
        .setAcceptSecrets(provider.acceptSecrets ?? true)
        .setAcceptResources(true)
        .setAcceptOutputs(false)
        .setSupportsAutonamingConfiguration(provider.autonaming ?? false);
    }),
    attach: calls.unary(async (request: PluginAttach) => {
      engine.connect(request.getAddress());
      return new emptyPb.Empty();
    }),
    getPluginInfo: calls.unary(async () => new pluginPb.PluginInfo().setVersion(provider.version)),
    getSchema: calls.unary(async () => {
      if (provider.schema === undefined) throw new Unimplemented(`${provider.name}: no schema in this plugin`);
      return new providerPb.GetSchemaResponse().setSchema(await provider.schema());
    }),

    checkConfig: calls.unary(async (message: pb.CheckRequest, signal) => {
      const request = checkRequest(message, about(message, signal));
      return checkResponse((await provider.checkConfig?.(request)) ?? { inputs: request.news });
    }),
    diffConfig: calls.unary(async (message: pb.DiffRequest, signal) => {
      if (provider.diffConfig === undefined) throw new Unimplemented("DiffConfig: left to the engine");
      return diffResponse(await provider.diffConfig(diffRequest(message, about(message, signal))));
    }),
    configure: calls.unary(async (message: pb.ConfigureRequest) => {
      await provider.configure?.({
        urn: message.hasUrn() ? message.getUrn() : undefined,
        name: message.hasName() ? message.getName() : undefined,
        config: decode(message.getArgs()),
        log: engine.log(message.getUrn() ?? ""),
      });
      return new providerPb.ConfigureResponse()
        .setAcceptsecrets(provider.acceptSecrets ?? true)
        .setSupportspreview(true)
        .setAcceptresources(true)
        .setAcceptoutputs(false)
        .setSupportsAutonamingConfiguration(provider.autonaming ?? false);
    }),

    check: calls.unary(async (message: pb.CheckRequest, signal) => {
      const request = checkRequest(message, about(message, signal));
      return checkResponse((await resource(request).check?.(request)) ?? { inputs: request.news });
    }),
    diff: calls.unary(async (message: pb.DiffRequest, signal) => {
      const request = diffRequest(message, about(message, signal));
      return diffResponse((await resource(request).diff?.(request)) ?? { changes: undefined });
    }),
    create: calls.unary(async (message: pb.CreateRequest, signal) => {
      const request = createRequest(message, about(message, signal));
      const { id, outputs } = await resource(request).create(request);
      return new providerPb.CreateResponse().setId(id).setProperties(encode(outputs));
    }),
    read: calls.unary(async (message: pb.ReadRequest, signal) => {
      const request = readRequest(message, about(message, signal));
      const type = resource(request);
      const found = type.read
        ? await type.read(request)
        : { id: request.id, outputs: request.state, inputs: request.inputs };
      if (found === undefined) return new providerPb.ReadResponse(); // no id: it is gone
      return new providerPb.ReadResponse()
        .setId(found.id)
        .setProperties(encode(found.outputs))
        .setInputs(encode(found.inputs));
    }),
    update: calls.unary(async (message: pb.UpdateRequest, signal) => {
      const request = updateRequest(message, about(message, signal));
      const type = resource(request);
      if (type.update === undefined) throw new Unimplemented(`${request.type}: cannot be updated, only replaced`);
      return new providerPb.UpdateResponse().setProperties(encode(await type.update(request)));
    }),
    delete: calls.unary(async (message: pb.DeleteRequest, signal) => {
      const request = deleteRequest(message, about(message, signal));
      await resource(request).delete?.(request);
      return new emptyPb.Empty();
    }),

    construct: calls.unary(async (message: pb.ConstructRequest, signal) => {
      const { construct } = await import("./construct.ts"); // few plugins need it, and its messages take memory
      return construct(provider, message, { signal, log: engine.log("") });
    }),
    invoke: calls.unary(async (message: pb.InvokeRequest, signal) => {
      const request = {
        token: message.getTok(),
        args: decode(message.getArgs()),
        preview: message.getPreview(),
        signal,
        log: engine.log(""),
      };
      const response = new providerPb.InvokeResponse();
      try {
        return response.setReturn(encode(await findFunction(provider, request.token)(request)));
      } catch (error) {
        if (error instanceof InvalidArguments) return response.setFailuresList(error.failures.map(failureMessage));
        throw error;
      }
    }),
    cancel: calls.unary(async () => {
      calls.cancel();
      return new emptyPb.Empty();
    }),
  };
  return {
    definition: providerGrpc.ResourceProviderService,
    implementation,
    close() {
      calls.cancel();
      provider.close?.();
    },
  };
}

function aboutResource(
  request: { getUrn(): string; getType(): string; getName(): string },
  signal: AbortSignal,
  engine: Engine,
): ResourceRequest {
  const urn = request.getUrn();
  // urn:pulumi:stack::project::parentType$type::name, for engines that leave type and name out
  const [, , types = "", ...name] = urn.split("::");
  return {
    urn,
    type: request.getType() || (types.split("$").at(-1) ?? ""),
    name: request.getName() || name.join("::"),
    signal,
    log: engine.log(urn),
  };
}

function findResource(provider: Provider, type: string): ResourceType {
  const { resources } = provider;
  const found = typeof resources === "function" ? resources(type) : resources[type];
  if (found) return found;
  throw new Error(
    `${type}: this stand-in of the ${provider.name} plugin does not have this resource type\n` +
      "use the official plugin (pulumi plugin install), which has them all",
  );
}

function findFunction(provider: Provider, token: string): ProviderFunction {
  const found = provider.functions?.[token];
  if (found) return found;
  throw new Error(`${token}: this stand-in of the ${provider.name} plugin does not have this function`);
}
