import grpc from "@grpc/grpc-js";
import engineGrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import emptyPb from "google-protobuf/google/protobuf/empty_pb.js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";

/** The part of the engine a plugin talks to: it keeps the messages. */
export interface EngineStub {
  readonly address: string;
  readonly messages: Message[];
  stop(): Promise<void>;
}

export interface Message {
  readonly severity: "debug" | "info" | "warning" | "error";
  readonly text: string;
  readonly urn: string;
  readonly status: boolean;
}

/** Serves the Engine service on a free port of the loopback address. */
export async function startEngine(): Promise<EngineStub> {
  const messages: Message[] = [];
  const server = new grpc.Server();
  server.addService(engineGrpc.EngineService, {
    log(call: grpc.ServerUnaryCall<LogRequest, unknown>, callback: grpc.sendUnaryData<unknown>) {
      const { request } = call;
      messages.push({
        severity: severities[request.getSeverity()],
        text: request.getMessage(),
        urn: request.getUrn(),
        status: request.getEphemeral(),
      });
      callback(null, new emptyPb.Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return {
    address: `127.0.0.1:${port}`,
    messages,
    async stop() {
      server.forceShutdown();
    },
  };
}
/** In the order of LogSeverity. */
const severities = ["debug", "info", "warning", "error"] as const;
