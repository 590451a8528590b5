import grpc from "@grpc/grpc-js";
import analyzerGrpc from "@pulumi/pulumi/proto/analyzer_grpc_pb.js";
import analyzerPb from "@pulumi/pulumi/proto/analyzer_pb.js";
import { channelOptions } from "../server/channel.ts";
import { toServiceError } from "../server/errors.ts";

type PassOn = (method: string, request: Buffer) => Promise<Buffer>;

/**
 * The analyzer the engine speaks to while a policy pack starts. It answers the handshake and takes the stack's
 * configuration, which the policy pack wants in its environment, and passes every other request on as it came.
 * https://github.com/pulumi/pulumi/blob/v3.259.0/sdk/policy_proxy.go
 */
export class PolicyProxy {
  readonly port: number;
  readonly #server: grpc.Server;
  readonly #stack: Promise<Buffer | undefined>;
  readonly #attach: (port: number) => void;

  private constructor(
    port: number,
    server: grpc.Server,
    stack: Promise<Buffer | undefined>,
    attach: (port: number) => void,
  ) {
    this.port = port;
    this.#server = server;
    this.#stack = stack;
    this.#attach = attach;
  }

  /** Serves on a free port of the loopback address. */
  static async start(): Promise<PolicyProxy> {
    const stack = Promise.withResolvers<Buffer | undefined>();
    const target = Promise.withResolvers<PassOn>();
    const server = new grpc.Server(channelOptions);
    server.addService(rawDefinition, implementation(stack, target.promise));
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    const attach = (pack: number) => target.resolve(passOnTo(pack, stack.promise));
    return new PolicyProxy(port, server, stack.promise, attach);
  }

  /** What the policy pack reads of the stack; empty when the engine asks for something else first. */
  async stackEnvironment(): Promise<Record<string, string>> {
    const bytes = await this.#stack;
    if (bytes === undefined) return {};
    const stack = analyzerPb.AnalyzerStackConfigureRequest.deserializeBinary(bytes);
    const env = {
      PULUMI_NODEJS_ORGANIZATION: stack.getOrganization(),
      PULUMI_NODEJS_PROJECT: stack.getProject(),
      PULUMI_NODEJS_STACK: stack.getStack(),
      PULUMI_NODEJS_DRY_RUN: String(stack.getDryRun()),
      PULUMI_CONFIG: JSON.stringify(Object.fromEntries(stack.getConfigMap().toArray() as [string, string][])),
    };
    return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  }

  /** Takes the policy pack's port from the first line it prints, and gives everything after it to `rest`. */
  portReader(rest: (chunk: Buffer) => void): (chunk: Buffer) => void {
    let line: Buffer | undefined = Buffer.alloc(0);
    return (chunk) => {
      if (line === undefined) return rest(chunk);
      line = Buffer.concat([line, chunk]);
      const end = line.indexOf("\n");
      if (end < 0) return;
      this.#attach(Number(line.subarray(0, end).toString()));
      if (end + 1 < line.length) rest(line.subarray(end + 1));
      line = undefined;
    };
  }

  stop(): void {
    this.#server.forceShutdown();
  }
}

/** The Analyzer service with messages left as bytes. */
const rawDefinition = Object.fromEntries(
  Object.entries(analyzerGrpc.AnalyzerService as grpc.ServiceDefinition).map(([name, method]) => [
    name,
    {
      ...method,
      requestSerialize: (bytes: Buffer) => bytes,
      requestDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
    },
  ]),
);

function implementation(stack: PromiseWithResolvers<Buffer | undefined>, target: Promise<PassOn>) {
  const own: Record<string, (request: Buffer) => Buffer> = {
    handshake: () => Buffer.alloc(0),
    configureStack: (request) => {
      stack.resolve(request);
      return Buffer.alloc(0);
    },
  };
  const handler =
    (name: string): grpc.handleUnaryCall<Buffer, Buffer> =>
    (call, callback) => {
      const answer = async () => {
        if (own[name]) return own[name](call.request);
        stack.resolve(undefined); // asked before any configuration, as `policy publish` does: it starts without
        return (await target)(name, call.request);
      };
      answer().then(
        (bytes) => callback(null, bytes),
        (error: unknown) => callback(toServiceError(error)),
      );
    };
  return Object.fromEntries(Object.keys(rawDefinition).map((name) => [name, handler(name)]));
}

/** The policy pack itself; the configuration goes first, to one that wants it. */
function passOnTo(port: number, stack: Promise<Buffer | undefined>): PassOn {
  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), channelOptions);
  const call: PassOn = (method, request) =>
    new Promise((resolve, reject) =>
      client.makeUnaryRequest(
        rawDefinition[method]!.path,
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        request,
        (error, response) => (error ? reject(error) : resolve(response!)),
      ),
    );
  const configured = stack.then(async (bytes) => {
    if (bytes === undefined) return;
    await call("configureStack", bytes).catch((error: grpc.ServiceError) => {
      if (error.code !== grpc.status.UNIMPLEMENTED) throw error;
    });
  });
  return async (method, request) => {
    await configured;
    return call(method, request);
  };
}
