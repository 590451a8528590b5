import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { messageOf } from "../wait.ts";
import { type Stream, streamsTo, type Take } from "./stream.ts";

/** A port of a pod. */
export interface PodPort {
  /** Kubeconfig of the cluster that runs the pod; its current context is used. */
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/**
 * Lends a port on the loopback address that leads to one of a pod, through the API server and the kubelet: no network
 * route to the pod is needed. Each connection to it is one to the pod.
 *
 * @param seconds for the API server to open the stream
 * @throws what `use` throws, with the reason if the stream broke
 */
export async function withPodPort<T>(to: PodPort, use: (port: number) => Promise<T>, seconds = 30): Promise<T> {
  const open = await streamsTo(to.kubeconfig, seconds);
  const path = `/api/v1/namespaces/${to.namespace}/pods/${to.pod}/portforward?ports=${to.port}`;
  const sockets = new Set<Socket>();
  const broken: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", (error) => broken.push(error.message));
    joined(socket, (take) => open(path, take)).catch((error: unknown) => {
      broken.push(messageOf(error));
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

/** The first byte of each message (https://pkg.go.dev/k8s.io/kubelet/pkg/cri/streaming/portforward). */
const channels = { data: 0, error: 1 };

/** Both directions, each with back pressure. */
async function joined(socket: Socket, open: (take: Take) => Promise<Stream>): Promise<void> {
  const link: { channel?: Stream } = {};
  const begun = new Set<number>();
  const take: Take = (channel, data) => {
    // The first message of each channel is the port number.
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
  // It may have been closed meanwhile.
  if (socket.destroyed) channel.terminate();
  for await (const chunk of socket as AsyncIterable<Buffer>)
    await new Promise<void>((resolve, reject) => {
      channel.send(Buffer.concat([Buffer.from([channels.data]), chunk]), (error) =>
        error ? reject(error) : resolve(),
      );
    });
}
