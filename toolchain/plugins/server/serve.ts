import grpc from "@grpc/grpc-js";
import { channelOptions } from "./channel.ts";
import { whenEngineGone } from "./engine-gone.ts";

/** What a plugin process offers: a gRPC service, and what to do when it ends. */
export interface Service {
  readonly definition: grpc.ServiceDefinition;
  readonly implementation: grpc.UntypedServiceImplementation;
  /** Called once before the process ends; must not wait. */
  close(): void;
}

/**
 * Serves on a free port of the loopback address and prints the port, as the engine expects of a plugin. The process
 * ends at once on SIGINT, SIGTERM and when the engine that started it is gone: the engine waits 5 s for a plugin after
 * an interrupt, and one that outlives it would be orphaned.
 */
export async function listen(service: Service): Promise<void> {
  const server = new grpc.Server(channelOptions);
  server.addService(service.definition, service.implementation);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const end = (): never => {
    service.close();
    process.exit(0);
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  whenEngineGone(process.argv.slice(2), end);
  process.stdout.write(`${port}\n`);
}
