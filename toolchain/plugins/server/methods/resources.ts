import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import { checkResponse, diffResponse } from "../answers.ts";
import { Unimplemented } from "../errors.ts";
import type { Provider, ResourceType } from "../provider.ts";
import { checkRequest, createRequest, deleteRequest, diffRequest, readRequest, updateRequest } from "../requests.ts";
import { aboutResource, type Serving } from "../serving.ts";
import { encode } from "../wire.ts";

/** Requests about one resource, in the order of its life. */
export const resourceMethods = ({ provider, engine, calls }: Serving) => ({
  check: calls.unary(async (message: pb.CheckRequest, signal) => {
    const request = checkRequest(message, aboutResource(message, signal, engine));
    return checkResponse((await findResource(provider, request.type).check?.(request)) ?? { inputs: request.news });
  }),
  diff: calls.unary(async (message: pb.DiffRequest, signal) => {
    const request = diffRequest(message, aboutResource(message, signal, engine));
    return diffResponse((await findResource(provider, request.type).diff?.(request)) ?? { changes: undefined });
  }),
  create: calls.unary(async (message: pb.CreateRequest, signal) => {
    const request = createRequest(message, aboutResource(message, signal, engine));
    const { id, outputs } = await findResource(provider, request.type).create(request);
    return new providerPb.CreateResponse().setId(id).setProperties(encode(outputs));
  }),
  read: calls.unary(async (message: pb.ReadRequest, signal) => {
    const request = readRequest(message, aboutResource(message, signal, engine));
    const type = findResource(provider, request.type);
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
    const request = updateRequest(message, aboutResource(message, signal, engine));
    const type = findResource(provider, request.type);
    if (type.update === undefined) throw new Unimplemented(`${request.type}: cannot be updated, only replaced`);
    return new providerPb.UpdateResponse().setProperties(encode(await type.update(request)));
  }),
  delete: calls.unary(async (message: pb.DeleteRequest, signal) => {
    const request = deleteRequest(message, aboutResource(message, signal, engine));
    await findResource(provider, request.type).delete?.(request);
    return new emptyPb.Empty();
  }),
});

function findResource(provider: Provider, type: string): ResourceType {
  const { resources } = provider;
  const found = typeof resources === "function" ? resources(type) : resources[type];
  if (found) return found;
  throw new Error(
    `${type}: this stand-in of the ${provider.name} plugin does not have this resource type\n` +
      "use the official plugin (pulumi plugin install), which has them all",
  );
}
