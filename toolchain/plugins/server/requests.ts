/** Requests of the engine as provider.ts names them. */
import type * as pb from "@pulumi/pulumi/proto/provider_pb.js";
import type {
  CheckRequest,
  CreateRequest,
  DeleteRequest,
  DiffRequest,
  ReadRequest,
  ResourceRequest,
  UpdateRequest,
} from "./provider.ts";
import { decode } from "./wire.ts";

export function checkRequest(message: pb.CheckRequest, about: ResourceRequest): CheckRequest {
  const autonaming = message.getAutonaming();
  return {
    ...about,
    olds: decode(message.getOlds()),
    news: decode(message.getNews()),
    randomSeed: message.getRandomseed_asU8(),
    ...(autonaming && {
      autonaming: { proposedName: autonaming.getProposedName(), mode: modes[autonaming.getMode()] },
    }),
  };
}
/** In the order of CheckRequest.AutonamingOptions.Mode. */
const modes = ["propose", "enforce", "disable"] as const;

export function diffRequest(message: pb.DiffRequest, about: ResourceRequest): DiffRequest {
  return {
    ...about,
    id: message.getId(),
    olds: decode(message.getOlds()),
    oldInputs: decode(message.getOldInputs()),
    news: decode(message.getNews()),
    ignoreChanges: message.getIgnorechangesList(),
  };
}

export function createRequest(message: pb.CreateRequest, about: ResourceRequest): CreateRequest {
  return {
    ...about,
    inputs: decode(message.getProperties()),
    preview: message.getPreview(),
    timeout: timeout(message),
  };
}

export function readRequest(message: pb.ReadRequest, about: ResourceRequest): ReadRequest {
  return {
    ...about,
    id: message.getId(),
    state: decode(message.getProperties()),
    inputs: decode(message.getInputs()),
    timeout: timeout(message),
  };
}

export function updateRequest(message: pb.UpdateRequest, about: ResourceRequest): UpdateRequest {
  return {
    ...about,
    id: message.getId(),
    olds: decode(message.getOlds()),
    oldInputs: decode(message.getOldInputs()),
    news: decode(message.getNews()),
    ignoreChanges: message.getIgnorechangesList(),
    preview: message.getPreview(),
    timeout: timeout(message),
  };
}

export function deleteRequest(message: pb.DeleteRequest, about: ResourceRequest): DeleteRequest {
  return {
    ...about,
    id: message.getId(),
    state: decode(message.getProperties()),
    oldInputs: decode(message.getOldInputs()),
    timeout: timeout(message),
  };
}

/** Zero says that the user set none. */
function timeout(message: { getTimeout(): number }): number | undefined {
  return message.getTimeout() || undefined;
}
