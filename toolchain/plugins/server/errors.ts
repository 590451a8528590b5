/** Failures with a meaning to the engine; any other Error is shown by its message. */
import grpc from "@grpc/grpc-js";
import anyPb from "google-protobuf/google/protobuf/any_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import statusPb from "@pulumi/pulumi/proto/status_pb.js";
import type { CheckFailure } from "./provider.ts";
import type { Properties } from "./values.ts";
import { encode } from "./wire.ts";

/** The resource exists but is not as wished: the engine keeps it in the state and the next run updates it. */
export class PartialFailure extends Error {
  readonly id: string;
  readonly outputs: Properties;
  readonly reasons: readonly string[];
  /** Only from `read`: the inputs to keep. */
  readonly inputs: Properties | undefined;
  constructor(
    message: string,
    state: { id: string; outputs: Properties; reasons?: readonly string[]; inputs?: Properties },
  ) {
    super(message);
    this.id = state.id;
    this.outputs = state.outputs;
    this.reasons = state.reasons ?? [message];
    this.inputs = state.inputs;
  }
}

/** Arguments of a function that do not pass its checks. */
export class InvalidArguments extends Error {
  readonly failures: readonly CheckFailure[];
  constructor(failures: readonly CheckFailure[]) {
    super(failures.map(({ property, reason }) => `${property}: ${reason}`).join("; "));
    this.failures = failures;
  }
}

/** The server was asked for something it does not have. */
export class Unimplemented extends Error {}

/** The error as gRPC sends it; the engine reads the details of a partial failure from the trailer. */
export function toServiceError(error: unknown): grpc.ServerErrorResponse {
  const failure = error instanceof Error ? error : new Error(String(error));
  const code = failure instanceof Unimplemented ? grpc.status.UNIMPLEMENTED : grpc.status.UNKNOWN;
  const response = { name: failure.name, message: failure.message, details: failure.message, code };
  return failure instanceof PartialFailure ? { ...response, metadata: partialFailure(failure, code) } : response;
}

function partialFailure(failure: PartialFailure, code: number): grpc.Metadata {
  const detail = new providerPb.ErrorResourceInitFailed()
    .setId(failure.id)
    .setProperties(encode(failure.outputs))
    .setReasonsList([...failure.reasons]);
  if (failure.inputs !== undefined) detail.setInputs(encode(failure.inputs));
  const any = new anyPb.Any();
  any.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new statusPb.Status().setCode(code).setMessage(failure.message).setDetailsList([any]);
  const metadata = new grpc.Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return metadata;
}
