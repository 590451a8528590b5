import { createSecretKey } from "node:crypto";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import ssh2 from "ssh2";
import type { Client, ClientErrorExtensions } from "ssh2";
import { messageOf, type Deadline } from "../wait.ts";
import type { SshEndpoint, SshHostAddress } from "./address.ts";
import { agentOf, credentials, Refused, waysOf } from "./credentials.ts";
import { fingerprint, kindOf, parseHostKeys, type HostKeyPins } from "./host-key.ts";
import { countArrivals, type Keepalive, keepaliveOptions, usualKeepalive } from "./keepalive.ts";
import { Negotiation } from "./negotiation.ts";
import { LoginRefused, unlessRefused } from "./refused-login.ts";

/** A login on a host. Closing `client` closes everything it went through. */
export interface Link {
  readonly client: Client;
  /** The one TCP connection of this machine. */
  readonly socket: Socket;
}

/** Another machine answers than the one that was noted down. */
export class OtherMachine extends Refused {}

/** Logs in, through the hosts that are to be gone through. */
export async function dial(address: SshHostAddress, deadline: Deadline, keepalive = usualKeepalive): Promise<Link> {
  const chain: readonly SshEndpoint[] = [...(address.through ?? []), address];
  const clients: Client[] = [];
  const way: { socket?: Socket } = {};
  const reach = async (endpoint: SshEndpoint): Promise<Duplex> => {
    const last = clients.at(-1);
    if (last !== undefined) return forward(last, endpoint.address, endpoint.port, deadline);
    return (way.socket = await connectTcp(endpoint, deadline));
  };
  try {
    for (const [i, endpoint] of chain.entries()) {
      const enter = async () => login(endpoint, await reach(endpoint), deadline, keepalive);
      clients.push(await unlessRefused(chain.slice(0, i + 1), enter));
    }
  } catch (error) {
    way.socket?.destroy();
    throw error;
  }
  const client = clients.at(-1)!;
  const socket = way.socket!;
  client.once("close", () => socket.destroy());
  return { client, socket };
}

/**
 * A connection that begins at the host `client` is logged in to.
 *
 * @throws ForwardingRefused when its SSH server makes none for this login
 */
export function forward(client: Client, address: string, port: number, deadline: Deadline): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const giveUp = () => {
      isLate = true;
      reject(new Error(`no answer from ${address}:${port}`));
    };
    const late = setTimeout(giveUp, Math.max(1, deadline.left()));
    client.forwardOut("127.0.0.1", 0, address, port, (error, stream) => {
      clearTimeout(late);
      if (error === undefined) return isLate ? void stream.destroy() : resolve(stream);
      const reason = error.message.replace(/^\(SSH\) Channel open failure: /, "");
      if ((error as { reason?: unknown }).reason === administrativelyProhibited) {
        return reject(new ForwardingRefused(`${address}:${port}: ${forwardingRefused}`, { cause: error }));
      }
      reject(new Error(`${address}:${port}: ${reason.toLowerCase()}`, { cause: error }));
    });
  });
}

/** The SSH server makes no connections for this login. */
export class ForwardingRefused extends Refused {}

const forwardingRefused =
  "the SSH server makes no connections for this login\nallow them (in its sshd_config: AllowTcpForwarding local; in authorized_keys neither restrict nor no-port-forwarding)";

/** SSH_OPEN_ADMINISTRATIVELY_PROHIBITED (RFC 4254, section 5.1). */
const administrativelyProhibited = 1;

function connectTcp({ address, port }: SshEndpoint, deadline: Deadline): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, timeout: Math.max(1, deadline.left()) });
    socket.setNoDelay(true);
    socket.once("timeout", () => socket.destroy(new Error(`no answer from ${address}:${port}`)));
    const fail = (error: NodeJS.ErrnoException) => {
      const refused = error.code === "ECONNREFUSED" ? `${address}:${port}: connection refused` : error.message;
      reject(new Error(refused, { cause: error }));
    };
    socket.once("error", fail);
    socket.once("connect", () => {
      // Whoever uses it says what goes wrong from here on, and until then nobody does.
      socket.off("error", fail).on("error", () => undefined);
      socket.setTimeout(0);
      resolve(together(socket));
    });
  });
}

/**
 * Has what is written to a socket in one go leave in one go: ssh2 writes each of its packets, which are small, in three parts,
 * and each would be a call to the system and a packet of the network.
 */
function together(socket: Socket): Socket {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let gathering = false;
  socket.write = (...args: unknown[]) => {
    if (!gathering) {
      gathering = true;
      socket.cork();
      process.nextTick(() => {
        gathering = false;
        socket.uncork();
      });
    }
    return write(...args);
  };
  return socket;
}

async function login(endpoint: SshEndpoint, stream: Duplex, deadline: Deadline, keepalive: Keepalive): Promise<Client> {
  const keys = pinsOf(endpoint);
  const agent = await agentOf(endpoint);
  let other: Buffer | undefined;
  let negotiation: Negotiation | undefined = new Negotiation();
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    const fail = (error: Error & ClientErrorExtensions) => {
      stream.destroy();
      const shown = other === undefined ? undefined : { shown: other, expected: keys.expected };
      reject(negotiation?.refusal(error, endpoint, keys.algorithms.length > 0) ?? explain(error, endpoint, shown));
    };
    // It may speak of one failure twice: of what is given up here as lost before its handshake, too.
    client.on("error", fail);
    client.once("close", () => fail(new Error("it closed the connection")));
    client.once("ready", () => {
      client.removeAllListeners("error").removeAllListeners("close");
      // What is under way then fails by itself.
      client.on("error", () => {});
      negotiation = undefined;
      makeKeyOnce(client);
      countArrivals(client, stream, keepalive);
      resolve(client);
    });
    client.on("keyboard-interactive", (_name, _instructions, _language, prompts, finish) =>
      finish(prompts.map(() => endpoint.password ?? "")),
    );
    client.connect({
      ...credentials(endpoint, agent),
      sock: stream,
      username: endpoint.user,
      readyTimeout: Math.max(1, deadline.left()),
      ...keepaliveOptions(keepalive),
      debug: (line) => negotiation?.note(line),
      hostVerifier: (shown: Buffer) => {
        if (!keys.accepts(shown)) other = shown;
        return other === undefined;
      },
      algorithms: {
        cipher: { prepend: ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com"], append: [], remove: [] },
        ...(keys.algorithms.length > 0 && { serverHostKey: [...keys.algorithms] }),
      },
    });
  });
}

/**
 * ssh2 makes a cipher for each packet, and Node.js then a key of the bytes it is given, which takes longer than to encrypt the
 * packet. It is given the key instead; after a new exchange of keys, and with a ssh2 that has none there, it is as it was.
 */
function makeKeyOnce(client: Client): void {
  const { _protocol: protocol } = client as { _protocol?: { _cipher?: { _encKey?: unknown } } };
  const cipher = protocol?._cipher;
  if (Buffer.isBuffer(cipher?._encKey)) cipher._encKey = createSecretKey(cipher._encKey);
}

function pinsOf({ address, port, hostKey }: SshEndpoint): HostKeyPins {
  try {
    return parseHostKeys(hostKey);
  } catch (error) {
    throw new Refused(`${address}:${port}: ${messageOf(error)}`, { cause: error });
  }
}

function explain(
  error: Error & ClientErrorExtensions,
  endpoint: SshEndpoint,
  key: { readonly shown: Buffer; readonly expected: string } | undefined,
): Error {
  const { address, port, user } = endpoint;
  if (key !== undefined) {
    return new OtherMachine(
      `${address}:${port} shows another host key: got ${fingerprint(key.shown)} (${kindOf(key.shown)}), want ${key.expected}\nif the host was set up anew, note down its new key; else somebody is in between`,
    );
  }
  if (error.level === "client-authentication") {
    const tried = waysOf(endpoint);
    const what = tried.length === 0 ? "neither key, password nor agent is given" : `tried ${tried.join(", ")}`;
    return new LoginRefused(`${address}:${port} does not let user "${user}" in: ${what}`);
  }
  if (/^too many authentication failures/i.test(error.message)) {
    const tried = waysOf(endpoint).join(", ");
    return new LoginRefused(
      `${address}:${port} does not let user "${user}" in: ${tooMany}, tried ${tried}\n${fewerAdvice}`,
    );
  }
  if (error.level === "agent") return new Refused(`the SSH agent: ${error.message}`);
  if (error.level === "client-timeout") return new Error(`no answer from ${address}:${port}`);
  return error;
}

/** What OpenSSH says of it: each key that an agent has is a try, and after MaxAuthTries (6) of them it ends the connection. */
const tooMany = "it takes no further try after too many that failed";
const fewerAdvice =
  "an agent offers every key it has: have it hold fewer (ssh-add -l shows them), or give the key itself (privateKey)";
