import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import { checkResponse, diffResponse } from "../answers.ts";
import { Unimplemented } from "../errors.ts";
import { checkRequest, diffRequest } from "../requests.ts";
import { aboutResource, type Serving } from "../serving.ts";
import { decode } from "../wire.ts";

/** Requests about the provider's configuration. */
export const configurationMethods = ({ provider, engine, calls }: Serving) => ({
  checkConfig: calls.unary(async (message: pb.CheckRequest, signal) => {
    const request = checkRequest(message, aboutResource(message, signal, engine));
    return checkResponse((await provider.checkConfig?.(request)) ?? { inputs: request.news });
  }),
  diffConfig: calls.unary(async (message: pb.DiffRequest, signal) => {
    if (provider.diffConfig === undefined) throw new Unimplemented("DiffConfig: left to the engine");
    return diffResponse(await provider.diffConfig(diffRequest(message, aboutResource(message, signal, engine))));
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
});
