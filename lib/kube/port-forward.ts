import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { messageOf } from "../wait.ts";

/** A port of a pod. */
export interface PodPort {
  /** Of the cluster that runs it; its current context counts. */
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/**
 * Lends out a port on the loopback address that leads to one of a pod, by the way of the API server and the kubelet: no
 * network has to lead to the pod. Each connection to it is one to the pod.
 *
 * @throws what `use` throws, with why the way broke off, should it have
 */
export async function withPodPort<T>(to: PodPort, use: (port: number) => Promise<T>): Promise<T> {
  // All of the library takes long to load.
  const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js");
  const { WebSocketHandler } = await import("@kubernetes/client-node/dist/web-socket-handler.js");
  const config = new KubeConfig();
  config.loadFromString(to.kubeconfig);
  const path = `/api/v1/namespaces/${to.namespace}/pods/${to.pod}/portforward?ports=${to.port}`;
  const sockets = new Set<Socket>();
  const broken: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", (error) => broken.push(error.message));
    const open = (take: Take) =>
      new WebSocketHandler(config).connect(path, null, take).then((made) => made as unknown as Channel);
    joined(socket, open).catch((error: unknown) => {
      broken.push(wordsOf(error));
      socket.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await use((server.address() as AddressInfo).port);
  } catch (error) {
    if (broken.length === 0) throw error;
    const way = `${to.namespace}/${to.pod}: the way to its port ${to.port} broke off: ${broken.at(-1)}`;
    throw new Error(`${way}: ${messageOf(error)}`, { cause: error });
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
}

type Take = (channel: number, data: Buffer) => boolean;

/** What is needed of the library's WebSocket (package ws). */
interface Channel {
  send(data: Buffer, done: (error?: Error) => void): void;
  pause(): void;
  resume(): void;
  terminate(): void;
  on(event: "close" | "error", listener: (error: Error) => void): void;
}

/** The first byte of each message (https://pkg.go.dev/k8s.io/kubelet/pkg/cri/streaming/portforward). */
const channels = { data: 0, error: 1 };

/** Both directions, each no faster than its end takes it. */
async function joined(socket: Socket, open: (take: Take) => Promise<Channel>): Promise<void> {
  const link: { channel?: Channel } = {};
  const begun = new Set<number>();
  const take: Take = (channel, data) => {
    // The first message of each channel is the number of the port.
    if (!begun.has(channel)) begun.add(channel);
    else if (channel === channels.error) socket.destroy(new Error(data.toString()));
    else if (channel === channels.data && !socket.write(data)) {
      link.channel?.pause();
      socket.once("drain", () => link.channel?.resume());
    }
    return true;
  };
  const channel = await open(take);
  link.channel = channel;
  channel.on("close", () => socket.end());
  channel.on("error", () => socket.destroy());
  socket.once("close", () => channel.terminate());
  for await (const chunk of socket as AsyncIterable<Buffer>)
    await new Promise<void>((resolve, reject) => {
      channel.send(Buffer.concat([Buffer.from([channels.data]), chunk]), (error) =>
        error ? reject(error) : resolve(),
      );
    });
}

/** The library throws what its socket tells, which is no error. */
const wordsOf = (error: unknown): string =>
  error instanceof Error ? messageOf(error) : ((error as { message?: string }).message ?? "no answer");
