import type grpc from "@grpc/grpc-js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import statusPb from "@pulumi/pulumi/proto/status_pb.js";
import { PartialFailure } from "../../../toolchain/plugins/server/errors.ts";
import { decode } from "../../../toolchain/plugins/server/wire.ts";

/** What the engine reads from an error: the resource's state when it exists but is not as wished. */
export function partialFailure(error: grpc.ServiceError): PartialFailure | undefined {
  const [details] = error.metadata?.get("grpc-status-details-bin") ?? [];
  if (details === undefined) return undefined;
  for (const any of statusPb.Status.deserializeBinary(Buffer.from(details)).getDetailsList()) {
    if (!any.getTypeUrl().endsWith("/pulumirpc.ErrorResourceInitFailed")) continue;
    const failed = providerPb.ErrorResourceInitFailed.deserializeBinary(any.getValue_asU8());
    const inputs = failed.getInputs();
    return new PartialFailure(error.details, {
      id: failed.getId(),
      outputs: decode(failed.getProperties()),
      reasons: failed.getReasonsList(),
      ...(inputs && { inputs: decode(inputs) }),
    });
  }
  return undefined;
}
