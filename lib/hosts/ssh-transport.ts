import type { Duplex } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { Client, ClientChannel } from "ssh2";
import { deadlineIn, messageOf, waitFor } from "../wait.ts";
import type { SshHostAddress } from "./address.ts";
import { dial, forward, OtherMachine, Refused, type Link } from "./dial.ts";
import { readable } from "./local-transport.ts";
import { LinkLost, NoSession, Unreachable, type Ended, type Input, type Sink, type Transport } from "./transport.ts";

/** For login and key exchange, through all hosts in between; a host that is being started may take a while to answer. */
const connectSeconds = 15;

/** How long a host that could not be reached is not tried again, and then how long: much is asked of it, and all of it would wait. */
const forsakenSeconds = 30;
const againSeconds = 3;

/** For a connection to a port of the host's own. */
const openSeconds = 5;

/** A host by SSH: one login for all that is done on it, made when it is needed and again when it has broken. */
export class SshTransport implements Transport {
  readonly isRoot: boolean;
  readonly #address: SshHostAddress;
  #link: Promise<Link> | undefined;
  #forsaken: { readonly error: Unreachable; readonly until: number } | undefined;

  constructor(address: SshHostAddress) {
    this.#address = address;
    this.isRoot = address.user === "root";
  }

  async execute(line: string, input: Input, signal: AbortSignal, sink?: Sink): Promise<Ended> {
    const { client, socket } = await this.#connected();
    // An idle login does not keep this program alive, a command that runs does.
    socket.ref();
    try {
      return await execute(client, line, input, signal, sink);
    } finally {
      socket.unref();
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
    // Said here: kept as the link, it would stand for ever.
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
      link.client.once("close", () => (this.#link = undefined));
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

async function execute(
  client: Client,
  line: string,
  input: Input,
  signal: AbortSignal,
  sink: Sink | undefined,
): Promise<Ended> {
  const channel = await start(client, line);
  const output = { stdout: "", stderr: "" };
  const written = sink && drained(channel, sink);
  if (sink === undefined) channel.setEncoding("utf8").on("data", (part: string) => (output.stdout += part));
  channel.stderr.setEncoding("utf8").on("data", (part: string) => (output.stderr += part));
  return new Promise((resolve, reject) => {
    let status: { code?: number; signal?: string } | undefined;
    channel.on("exit", (code: number | null, name?: string) => {
      status = { ...(code !== null && { code }), ...(name !== undefined && { signal: name }) };
    });
    // A channel whose link has broken closes after that, and what it wrote last may not have come.
    const lost = () => {
      signal.removeEventListener("abort", abort);
      reject(new LinkLost("the connection broke while it ran"));
    };
    const closed = () => {
      client.off("close", lost);
      signal.removeEventListener("abort", abort);
      if (status === undefined) return reject(new LinkLost("the connection broke while it ran"));
      const ended = { ...output, ...status };
      Promise.resolve(written).then(() => resolve(ended), reject);
    };
    const abort = () => {
      reject(signal.reason as Error);
      channel.signal("KILL");
      channel.close();
    };
    // Else the command would wait for ever for somebody to read what it writes.
    written?.catch((error: Error) => {
      reject(error);
      channel.close();
    });
    channel.on("error", () => undefined).once("close", closed);
    client.once("close", lost);
    signal.addEventListener("abort", abort, { once: true });
    // A command need not read what it is given.
    pipeline(readable(input), channel, { end: true }).catch(() => undefined);
  });
}

/** The channel itself is both ways, and closes when its command has ended: only what comes from it is passed on. */
function drained(channel: ClientChannel, sink: Sink): Promise<void> {
  const file = sink();
  channel.pipe(file);
  return finished(file);
}

function start(client: Client, line: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    const lost = () => reject(new LinkLost("the connection broke before it ran"));
    client.once("close", lost);
    try {
      client.exec(line, (error, channel) => {
        client.off("close", lost);
        if (error === undefined) resolve(channel);
        else reject(isRefusedChannel(error) ? new NoSession(noSession, { cause: error }) : error);
      });
    } catch (error) {
      reject(new LinkLost("the connection had broken", { cause: error }));
    }
  });
}

const isRefusedChannel = (error: Error): boolean => error.message.includes("Channel open failure");

const noSession =
  "its SSH server allows no further session\nlet a login have ten at a time (in its sshd_config: MaxSessions 10)";
