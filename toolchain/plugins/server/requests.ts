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

export const diffRequest = (message: pb.DiffRequest, about: ResourceRequest): DiffRequest => change(message, about);

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
    ...existing(message),
    inputs: decode(message.getInputs()),
    timeout: timeout(message),
  };
}

export function updateRequest(message: pb.UpdateRequest, about: ResourceRequest): UpdateRequest {
  return { ...change(message, about), preview: message.getPreview(), timeout: timeout(message) };
}

export function deleteRequest(message: pb.DeleteRequest, about: ResourceRequest): DeleteRequest {
  return {
    ...about,
    ...existing(message),
    oldInputs: decode(message.getOldInputs()),
    timeout: timeout(message),
  };
}

function change(message: pb.DiffRequest | pb.UpdateRequest, about: ResourceRequest): DiffRequest {
  return {
    ...about,
    id: message.getId(),
    olds: decode(message.getOlds()),
    oldInputs: decode(message.getOldInputs()),
    news: decode(message.getNews()),
    ignoreChanges: message.getIgnorechangesList(),
  };
}

const existing = (message: pb.ReadRequest | pb.DeleteRequest) => ({
  id: message.getId(),
  state: decode(message.getProperties()),
});

/** Zero says that the user set none. */
function timeout(message: { getTimeout(): number }): number | undefined {
  return message.getTimeout() || undefined;
}
