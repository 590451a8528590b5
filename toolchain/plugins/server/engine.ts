/** The plugin's line back to the engine: messages for the user's screen. */
import grpc from "@grpc/grpc-js";
import enginePb from "@pulumi/pulumi/proto/engine_pb.js";
import engineGrpc from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { channelOptions } from "./channel.ts";

export type Severity = "debug" | "info" | "warning" | "error";

/**
 * Shows a message. One with `status` replaces the last of its kind beside the resource and is not kept, which is
 * right for "waiting for ...". Never put anything secret in it.
 */
export type Log = (severity: Severity, message: string, options?: { readonly status?: boolean }) => void;

/** Connects on the first message; an engine that is gone loses the message, nothing else. */
export class Engine {
  #address: string | undefined;
  #client: InstanceType<typeof engineGrpc.EngineClient> | undefined;
  readonly #unheard = new Set<Promise<void>>();

  constructor(address: string | undefined) {
    this.#address = address;
  }

  /** Sets or replaces the engine's address, as Handshake and Attach tell it. */
  connect(address: string): void {
    if (address === this.#address) return;
    this.#client?.close();
    this.#client = undefined;
    this.#address = address;
  }

  /** A log for one resource; an empty URN stands for the whole deployment. */
  log(urn: string): Log {
    return (severity, message, { status = false } = {}) => {
      const request = new enginePb.LogRequest()
        .setSeverity(severities[severity])
        .setMessage(message)
        .setUrn(urn)
        .setEphemeral(status);
      this.#send(request);
    };
  }

  /** Until every message has been taken: an answer that overtakes its warning may end the run before it is shown. */
  async heard(): Promise<void> {
    await Promise.all(this.#unheard);
  }

  #send(request: InstanceType<typeof enginePb.LogRequest>): void {
    const client = this.#connected();
    if (client === undefined) return;
    const taken = new Promise<void>((resolve) =>
      client.log(request, new grpc.Metadata(), { deadline: Date.now() + 5000 }, () => resolve()),
    ).finally(() => this.#unheard.delete(taken));
    this.#unheard.add(taken);
  }

  #connected(): InstanceType<typeof engineGrpc.EngineClient> | undefined {
    if (this.#address === undefined) return undefined;
    return (this.#client ??= new engineGrpc.EngineClient(
      this.#address,
      grpc.credentials.createInsecure(),
      channelOptions,
    ));
  }
}

const severities = {
  debug: enginePb.LogSeverity.DEBUG,
  info: enginePb.LogSeverity.INFO,
  warning: enginePb.LogSeverity.WARNING,
  error: enginePb.LogSeverity.ERROR,
} as const;
