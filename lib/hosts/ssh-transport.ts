import type { Duplex } from "node:stream";
import type { Client, ClientChannel } from "ssh2";
import { deadlineIn, messageOf, waitFor } from "../wait.ts";
import type { SshHostAddress } from "./address.ts";
import { Refused } from "./credentials.ts";
import { dial, forward, OtherMachine, type Link } from "./dial.ts";
import { LinkLost, NoSession, Unreachable, type Exit, type Session, type Transport } from "./transport.ts";

/** For key exchange and login, through all jump hosts; a booting host may take a while to answer. */
const connectSeconds = 15;

/**
 * How long an unreachable host is not tried again, and how long a login may take after that: much is asked of it, and
 * all of it would wait.
 */
const forsakenSeconds = 30;
const againSeconds = 3;

/** For a connection to a port of the host's own. */
const openSeconds = 5;

/** A host by SSH: one login for everything done on it, made when it is needed and again when it has broken. */
export class SshTransport implements Transport {
  readonly isRoot: boolean;
  readonly #address: SshHostAddress;
  #link: Promise<Link> | undefined;
  #forsaken: { readonly error: Unreachable; readonly until: number } | undefined;

  constructor(address: SshHostAddress) {
    this.#address = address;
    this.isRoot = address.user === "root";
  }

  async start(line: string): Promise<Session> {
    const { client, socket } = await this.#connected();
    // An idle login does not keep this program alive, a running command does.
    socket.ref();
    const unref = () => void socket.unref();
    try {
      const session = await start(client, line, unref);
      session.ended.then(unref, unref);
      return session;
    } catch (error) {
      unref();
      throw error;
    }
  }

  async open(port: number): Promise<Duplex> {
    return forward((await this.#connected()).client, "127.0.0.1", port, deadlineIn(openSeconds));
  }

  close(): void {
    void this.#link?.then(({ client }) => client.end()).catch(() => undefined);
    this.#link = undefined;
  }

  async #connected(): Promise<Link> {
    // Thrown here: kept as the link, it would stay for ever.
    if (this.#link === undefined && this.#forsaken !== undefined && performance.now() < this.#forsaken.until) {
      throw this.#forsaken.error;
    }
    return (this.#link ??= this.#connect());
  }

  async #connect(): Promise<Link> {
    const deadline = deadlineIn(this.#forsaken === undefined ? connectSeconds : againSeconds);
    try {
      const link = await waitFor("a login", deadline, () => dial(this.#address, deadline), {
        interval: 250,
        fatal: (error) => error instanceof Refused,
      });
      // So does each session.
      link.client.setMaxListeners(0).once("close", () => (this.#link = undefined));
      this.#forsaken = undefined;
      return link;
    } catch (error) {
      this.#link = undefined;
      if (error instanceof Refused && !(error instanceof OtherMachine)) throw error;
      const unreachable = new Unreachable(messageOf(error), messageOf(error), { cause: error });
      this.#forsaken = { error: unreachable, until: performance.now() + forsakenSeconds * 1000 };
      throw unreachable;
    }
  }
}

function start(client: Client, line: string, unref: () => void): Promise<Session> {
  return new Promise((resolve, reject) => {
    const lost = () => reject(new LinkLost("the connection broke before it ran"));
    client.once("close", lost);
    try {
      client.exec(line, (error, channel) => {
        client.off("close", lost);
        // At once: it may have ended by the time anyone else hears of it.
        if (error === undefined) resolve(sessionOf(client, channel, unref));
        else reject(isRefusedChannel(error) ? new NoSession(noSession, { cause: error }) : error);
      });
    } catch (error) {
      reject(new LinkLost("the connection had broken", { cause: error }));
    }
  });
}

function sessionOf(client: Client, channel: ClientChannel, unref: () => void): Session {
  let exit: Exit | undefined;
  const ended = new Promise<Exit>((resolve, reject) => {
    channel.on("exit", (code: number | null, name?: string) => {
      exit = { ...(code !== null && { code }), ...(name !== undefined && { signal: name }) };
    });
    // The channel of a broken link closes later, and its last output may not have arrived.
    const lost = () => reject(new LinkLost("the connection broke while it ran"));
    client.once("close", lost);
    channel.once("close", () => {
      client.off("close", lost);
      if (exit === undefined) lost();
      else resolve(exit);
    });
  });
  ended.catch(() => undefined);
  channel.on("error", () => undefined);
  const kill = () => {
    channel.signal("KILL");
    channel.close();
  };
  return { stdin: channel, stdout: channel, stderr: channel.stderr, ended, kill, unref };
}

const isRefusedChannel = (error: Error): boolean => error.message.includes("Channel open failure");

const noSession =
  "its SSH server allows no further session\nlet a login have ten at a time (in its sshd_config: MaxSessions 10)";
