/** The gRPC service of a Provider (provider.ts): requests decoded, answers encoded, errors with their meaning. */
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { Calls } from "./calls.ts";
import { Engine } from "./engine.ts";
import { configurationMethods } from "./methods/configuration.ts";
import { functionMethods } from "./methods/functions.ts";
import { pluginMethods } from "./methods/plugin.ts";
import { resourceMethods } from "./methods/resources.ts";
import type { Provider } from "./provider.ts";
import type { Service } from "./serve.ts";

/** @param engineAddress where to log, as given on the command line; Handshake and Attach tell it too. */
export function resourceProviderService(provider: Provider, engineAddress: string | undefined): Service {
  const engine = new Engine(engineAddress);
  const calls = new Calls(() => engine.heard());
  const serving = { provider, engine, calls };
  return {
    definition: providerGrpc.ResourceProviderService,
    implementation: {
      ...pluginMethods(serving),
      ...configurationMethods(serving),
      ...resourceMethods(serving),
      ...functionMethods(serving),
    },
    close() {
      calls.cancel();
      provider.close?.();
    },
  };
}
