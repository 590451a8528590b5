import { execFile, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { promisify } from "node:util";
import grpc from "@grpc/grpc-js";
import structs from "google-protobuf/google/protobuf/struct_pb.js";

const require = createRequire(import.meta.url);
const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb.js");
const messages = require("@pulumi/pulumi/proto/provider_pb.js");
const { Status } = require("@pulumi/pulumi/proto/status_pb.js");

const root = new URL("../../../", import.meta.url);

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what goes over the wire is not typed
export type Props = Record<string, any>;

/** How Pulumi marks a value that is not known in a preview. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** What a failed create or update left behind, as the engine would save it. */
export interface Partial {
  readonly id: string;
  readonly properties: Props;
  readonly reasons: string[];
}

/** The error of a call, with what it left behind. */
export class CallError extends Error {
  readonly partial: Partial | undefined;
  constructor(message: string, partial: Partial | undefined) {
    super(message);
    this.partial = partial;
  }
}

/** Pulumi's own dynamic-provider process, and the calls the engine makes to it. */
export interface DynamicProvider {
  check(olds: Props, news: Props): Promise<{ inputs: Props; failures: { property: string; reason: string }[] }>;
  diff(
    id: string,
    olds: Props,
    news: Props,
  ): Promise<{ changes: boolean; replaces: string[]; deleteBeforeReplace: boolean }>;
  create(inputs: Props): Promise<{ id: string; outs: Props }>;
  read(id: string, props: Props): Promise<{ id: string; props: Props; inputs?: Props }>;
  update(id: string, olds: Props, news: Props): Promise<{ outs: Props }>;
  delete(id: string, props: Props): Promise<void>;
  /** Everything the process has printed. */
  output(): string;
  /** The engine is gone without a word to the process, as when it is killed. */
  loseEngine(): void;
  /** Once the process has ended. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Starts the process the engine would start, in the program's directory. */
export async function startDynamicProvider(): Promise<DynamicProvider> {
  const main = new URL("node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js", root).pathname;
  const engine = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
  const child = spawn(process.execPath, [main, `127.0.0.1:${(engine.address() as AddressInfo).port}`], {
    cwd: root,
    env: { PATH: process.env.PATH, PULUMI_NODEJS_PROJECT: "conformance" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let printed = "";
  child.stderr.on("data", (data) => (printed += data));
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (data) => {
      printed += data;
      const line = /^(\d+)$/m.exec(printed);
      if (line?.[1] !== undefined) resolve(line[1]);
    });
    child.once("exit", (code) =>
      reject(new Error(`dynamic-provider: ended with ${code} before it served: ${printed}`)),
    );
  });
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  const call = caller(client);
  await call("configure", build(messages.ConfigureRequest, { Args: struct({}) }));
  return {
    async check(olds, news) {
      const reply = await call("check", build(messages.CheckRequest, { Olds: struct(olds), News: struct(news) }));
      const failures = reply
        .getFailuresList()
        .map((f: Props) => ({ property: f.getProperty(), reason: f.getReason() }));
      return { inputs: reply.getInputs().toJavaScript(), failures };
    },
    async diff(id, olds, news) {
      const request = build(messages.DiffRequest, { Id: id, Olds: struct(olds), News: struct(news) });
      const reply = await call("diff", request);
      return {
        changes: reply.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME,
        replaces: reply.getReplacesList(),
        deleteBeforeReplace: reply.getDeletebeforereplace(),
      };
    },
    async create(inputs) {
      const reply = await call("create", build(messages.CreateRequest, { Properties: struct(inputs) }));
      return { id: reply.getId(), outs: reply.getProperties().toJavaScript() };
    },
    async read(id, props) {
      const reply = await call("read", build(messages.ReadRequest, { Id: id, Properties: struct(props) }));
      const inputs = reply.getInputs()?.toJavaScript();
      return { id: reply.getId(), props: reply.getProperties()?.toJavaScript() ?? {}, ...(inputs && { inputs }) };
    },
    async update(id, olds, news) {
      const request = build(messages.UpdateRequest, { Id: id, Olds: struct(olds), News: struct(news) });
      return { outs: (await call("update", request)).getProperties().toJavaScript() };
    },
    async delete(id, props) {
      await call("delete", build(messages.DeleteRequest, { Id: id, Properties: struct(props) }));
    },
    output: () => printed,
    loseEngine: () => void engine.close(),
    ended,
    async stop() {
      client.close();
      child.kill("SIGKILL");
      await ended;
      engine.close();
    },
  };
}

/** The text Pulumi would keep in the state, by class name, of the resources that these files export; made by plain node, as in a program. */
export async function serialisedProviders(files: readonly string[]): Promise<Record<string, string>> {
  const script = new URL("serialise.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...files], { cwd: root });
  return JSON.parse(stdout) as Record<string, string>;
}

const struct = (props: Props) => structs.Struct.fromJavaScript(props);

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- generated messages have no common type
function build(Message: new () => any, fields: Props): any {
  const message = new Message();
  for (const [name, value] of Object.entries(fields)) message[`set${name}`](value);
  return message;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- generated clients have no common type
function caller(client: any): (method: string, request: unknown) => Promise<any> {
  return (method, request) =>
    new Promise((resolve, reject) => {
      client[method](request, (error: grpc.ServiceError | null, reply: unknown) => {
        if (error === null) resolve(reply);
        else reject(new CallError(error.details, partialOf(error)));
      });
    });
}

function partialOf(error: grpc.ServiceError): Partial | undefined {
  const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? [];
  if (!(bytes instanceof Buffer)) return undefined;
  const [detail] = Status.deserializeBinary(bytes).getDetailsList();
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
  return { id: failed.getId(), properties: failed.getProperties().toJavaScript(), reasons: failed.getReasonsList() };
}
