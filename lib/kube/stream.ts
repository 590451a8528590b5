import type { KubeConfig } from "@kubernetes/client-node";
import { shared } from "../shared.ts";
import { messageOf } from "../wait.ts";
import { parseKubeconfig } from "./kubeconfig.ts";
import { forgetLogin, mayLogInAnew } from "./library-login.ts";
import { logIn } from "./login.ts";

/** What is needed of the library's WebSocket (package ws). */
export interface Stream {
  send(data: Buffer, done: (error?: Error) => void): void;
  pause(): void;
  resume(): void;
  terminate(): void;
  on(event: "close" | "error", listener: (error: Error) => void): void;
}

/** Gets what arrives, with the number of its channel. */
export type Take = (channel: number, data: Buffer) => boolean;

/** Opens a stream at a path of the API. @throws why it was not opened */
export type Open = (path: string, take: Take) => Promise<Stream>;

/**
 * The way to open streams to the server of a kubeconfig's current context. Logs in at once, and anew for a stream only when
 * that login's time is over, or the server takes it no more.
 *
 * @param seconds for the server to answer. @default without end
 * @throws why nobody can log in
 */
export async function streamsTo(kubeconfig: string, seconds?: number): Promise<Open> {
  // All of the library takes long to load.
  const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js");
  const { WebSocketHandler } = await import("@kubernetes/client-node/dist/web-socket-handler.js");
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const connection = parseKubeconfig(kubeconfig);
  forgetLogin(config, connection);
  const login = shared(() => logIn(config, connection));
  await login();
  // The library has no deadline for connecting: what it asks the configuration for is given to its socket.
  const limit = seconds !== undefined && { handshakeTimeout: seconds * 1000 };
  const asked: Pick<KubeConfig, "getCurrentCluster" | "applyToHTTPSOptions"> = {
    getCurrentCluster: () => config.getCurrentCluster(),
    applyToHTTPSOptions: async (socket) => void Object.assign(socket, await login(), limit),
  };
  const open: Open = async (path, take) => {
    try {
      return (await new WebSocketHandler(asked as KubeConfig).connect(path, null, take)) as unknown as Stream;
    } catch (error) {
      if (error instanceof Error) throw error;
      // The library throws what its socket tells, which is no error.
      throw new Error((error as { message?: string }).message ?? "no answer", { cause: error });
    }
  };
  if (!mayLogInAnew(connection)) return open;
  return (path, take) =>
    open(path, take).catch((error: unknown) => {
      if (messageOf(error) !== notTaken) throw error;
      forgetLogin(config, connection);
      return open(path, take);
    });
}

/** As package ws says that the server does not know who shows these credentials. */
const notTaken = "Unexpected server response: 401";
