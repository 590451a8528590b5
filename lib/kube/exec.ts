import { once } from "node:events";
import type { Writable } from "node:stream";
import { messageOf } from "../wait.ts";
import { type Stream, streamsTo } from "./stream.ts";

/** A running container. */
export interface ContainerAddress {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface ExecOptions {
  /** Sent to its standard input, which stays open afterwards: the command has to know how much to read. */
  readonly input?: AsyncIterable<Buffer>;
  /** Gets its standard output, with back pressure, and is ended with it. @default discarded */
  readonly output?: Writable;
  /** How long the command may take, connecting included. */
  readonly seconds: number;
}

/**
 * Runs a command in a container, through the API server and the kubelet: no network route to the pod is needed. What is
 * sent and received is not kept in memory.
 *
 * @throws when it does not succeed, with the end of its standard error
 */
export async function execIn(where: ContainerAddress, command: readonly string[], options: ExecOptions): Promise<void> {
  const said = { end: "" };
  try {
    await run(where, command, options, said);
  } catch (error) {
    const words = [messageOf(error), said.end.trim()].filter((each) => each !== "");
    throw new Error(`${where.namespace}/${where.pod}: ${where.container}: ${words.join(": ")}`, { cause: error });
  }
}

async function run(
  { kubeconfig, namespace, pod, container }: ContainerAddress,
  command: readonly string[],
  { input, output, seconds }: ExecOptions,
  said: { end: string },
): Promise<void> {
  const open = await streamsTo(kubeconfig, seconds);
  const query = new URLSearchParams({ container, stdin: String(input !== undefined), stdout: "true", stderr: "true" });
  for (const part of command) query.append("command", part);
  const ended = Promise.withResolvers<Status>();
  ended.promise.catch(() => undefined); // reported to whoever awaits it
  output?.once("error", ended.reject);
  const link: { socket?: Stream } = {};
  const take = (channel: number, data: Buffer): boolean => {
    if (channel === channels.error) ended.resolve(JSON.parse(data.toString()) as Status);
    if (channel === channels.stderr) said.end = `${said.end}${data.toString()}`.slice(-shown);
    if (channel === channels.stdout && output !== undefined && !output.write(data)) {
      link.socket?.pause();
      output.once("drain", () => link.socket?.resume());
    }
    return true;
  };
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/exec?${query}`;
  const timer = setTimeout(() => ended.reject(new Error(`it took longer than ${seconds} s`)), seconds * 1000);
  const connecting = open(path, take);
  try {
    await Promise.race([connecting, ended.promise]);
    const socket = await connecting;
    link.socket = socket;
    socket.on("close", () => ended.reject(new Error("the connection was closed before the command had ended")));
    socket.on("error", ended.reject);
    if (input !== undefined) await Promise.race([sendAll(socket, input), ended.promise]);
    const { status, message } = await ended.promise;
    if (status !== "Success") throw new Error(message ?? "it failed");
    if (output !== undefined) await endOf(output);
  } finally {
    clearTimeout(timer);
    // It may open when nobody waits for it any more.
    void connecting.then(
      (socket) => socket.terminate(),
      () => undefined,
    );
  }
}

/** How a command ended. */
interface Status {
  readonly status?: string;
  readonly message?: string;
}

/** The first byte of each message (https://pkg.go.dev/k8s.io/apimachinery/pkg/util/remotecommand). */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3 };

/** One piece after another: nothing is read before the network has taken the last one. */
async function sendAll(socket: Stream, input: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of input) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.send(Buffer.concat([Buffer.from([channels.stdin]), chunk]), (error) => (error ? reject(error) : resolve()));
    await promise;
  }
}

async function endOf(output: Writable): Promise<void> {
  const closed = once(output, "close");
  output.end();
  await closed;
}

/** Characters of a command's output shown in an error. */
const shown = 1000;
