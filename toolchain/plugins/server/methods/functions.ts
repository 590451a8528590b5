import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import { failureMessage } from "../answers.ts";
import { InvalidArguments } from "../errors.ts";
import type { Provider, ProviderFunction } from "../provider.ts";
import type { Serving } from "../serving.ts";
import { decode, encode } from "../wire.ts";

/** Requests that call something: a function, or a component's constructor. */
export const functionMethods = ({ provider, engine, calls }: Serving) => ({
  construct: calls.unary(async (message: pb.ConstructRequest, signal) => {
    const { construct } = await import("../construct.ts"); // few plugins need it, and its messages take memory
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
});

function findFunction(provider: Provider, token: string): ProviderFunction {
  const found = provider.functions?.[token];
  if (found) return found;
  throw new Error(`${token}: this stand-in of the ${provider.name} plugin does not have this function`);
}
