import type { KubeConfig } from "@kubernetes/client-node";
import { shared } from "../shared.ts";
import { messageOf } from "../wait.ts";
import { withEnvironmentProxy } from "./environment-proxy.ts";
import { parseKubeconfig } from "./kubeconfig.ts";
import { forgetLogin, mayLogInAnew } from "./library-login.ts";
import { logIn } from "./login.ts";

/** The part of the library's WebSocket (package ws) that is used. */
export interface Stream {
  send(data: Buffer, done: (error?: Error) => void): void;
  pause(): void;
  resume(): void;
  terminate(): void;
  on(event: "close" | "error", listener: (error: Error) => void): void;
}

/** Receives what arrives, with the number of its channel. */
export type Take = (channel: number, data: Buffer) => boolean;

/** Opens a stream at a path of the API. @throws why it was not opened */
export type Open = (path: string, take: Take) => Promise<Stream>;

/**
 * Opens streams to the server of a kubeconfig's current context. Logs in at once, and again for a stream only when that
 * login has expired, or the server no longer accepts it.
 *
 * @param seconds for the server to answer. @default no limit
 * @throws why no login is possible
 */
export async function streamsTo(given: string, seconds?: number): Promise<Open> {
  const kubeconfig = withEnvironmentProxy(given);
  // The whole library takes long to load.
  const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js");
  const { WebSocketHandler } = await import("@kubernetes/client-node/dist/web-socket-handler.js");
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const connection = parseKubeconfig(kubeconfig);
  forgetLogin(config, connection);
  const login = shared(() => logIn(config, connection));
  await login();
  // The library has no deadline for connecting, but passes these options of the configuration to its socket.
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
      // The library throws its socket's event, which is no Error.
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

/** Package ws reports a 401 like this. */
const notTaken = "Unexpected server response: 401";
