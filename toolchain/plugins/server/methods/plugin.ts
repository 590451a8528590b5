import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import pluginPb from "@pulumi/pulumi/proto/plugin_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import type { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb.js";
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import { Unimplemented } from "../errors.ts";
import type { Serving } from "../serving.ts";

/** Requests about the plugin itself. */
export const pluginMethods = ({ provider, engine, calls }: Serving) => ({
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
  cancel: calls.unary(async () => {
    calls.cancel();
    return new emptyPb.Empty();
  }),
});
