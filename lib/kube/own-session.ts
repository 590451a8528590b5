import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import { checkServerIdentity } from "node:tls";
import type { Connection } from "./kubeconfig.ts";
import { Session } from "./session.ts";
import { endOfReading, tokenIn } from "./token-file.ts";

/** With certificates, tokens and passwords, without a proxy: this needs no library. */
export function ownSession(connection: Connection): Session {
  const agent = agentFor(connection);
  const { token = "", tokenFile } = connection;
  if (tokenFile === undefined) return new Session({ agent, headers: authorization(connection) });
  const shown = { ...connection, token };
  const read = () => {
    shown.token = tokenIn(tokenFile, shown.token);
    return { agent, headers: authorization(shown), end: endOfReading() };
  };
  return new Session(read(), () => Promise.resolve(read()));
}

function agentFor(connection: Connection): http.Agent {
  if (connection.server.startsWith("http:")) return new http.Agent({ keepAlive: true });
  const { ca, certificate: cert, key, tlsServerName: servername, insecureSkipTlsVerify } = connection;
  return new https.Agent({
    keepAlive: true,
    rejectUnauthorized: !insecureSkipTlsVerify,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(servername !== undefined && knownAs(servername)),
  });
}

/**
 * The name the server is known by. An IP address must not be sent as SNI (RFC 6066), and is checked against the
 * certificate.
 */
const knownAs = (name: string): Pick<https.AgentOptions, "servername" | "checkServerIdentity"> =>
  isIP(name) === 0
    ? { servername: name }
    : { servername: "", checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate) };

function authorization({ token, username, password }: Connection): http.OutgoingHttpHeaders {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  if (username === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}` };
}
