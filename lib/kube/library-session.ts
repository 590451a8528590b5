import http from "node:http";
import https from "node:https";
import { isDeepStrictEqual } from "node:util";
import type { KubeConfig } from "@kubernetes/client-node";
import type { Connection } from "./kubeconfig.ts";
import { endOfLogin, forgetLogin, mayLogInAnew } from "./library-login.ts";
import { logIn } from "./login.ts";
import { Session } from "./session.ts";

/** Exec plugins, auth providers and proxies, through the vendor's library. It is slow to load. */
export async function librarySession(kubeconfig: string, connection: Connection): Promise<Session> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  forgetLogin(config, connection);
  const first = await credentialsOf(config, connection);
  let last = first;
  const logInAnew = async () => {
    forgetLogin(config, connection);
    const next = await credentialsOf(config, connection);
    // With the same certificate the existing connections will do.
    const isSame = isDeepStrictEqual([next.cert, next.key], [last.cert, last.key]);
    last = isSame ? { ...next, agent: last.agent } : next;
    return last;
  };
  return new Session(first, mayLogInAnew(connection) ? logInAnew : undefined);
}

async function credentialsOf(config: KubeConfig, connection: Connection) {
  const { agent, headers, auth, ...tls } = await logIn(config, connection);
  const basic = typeof auth === "string" ? { authorization: `Basic ${Buffer.from(auth).toString("base64")}` } : {};
  const own =
    agent instanceof http.Agent ? agent : new https.Agent({ keepAlive: true, ...(tls as https.AgentOptions) });
  const { cert, key } = tls;
  const shown = { ...(headers as http.OutgoingHttpHeaders), ...basic };
  return { agent: own, headers: shown, end: endOfLogin(config, connection), cert, key };
}
