import { Readable, type Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { limit } from "../../toolchain/limit.ts";
import { deadlineIn, messageOf } from "../wait.ts";
import { labelOf, type HostAddress } from "./address.ts";
import { afterBegin, begin, hasBegun, sinkAfterBegin } from "./begun.ts";
import { execute, type Ended, type Sink } from "./execute.ts";
import { LocalTransport } from "./local-transport.ts";
import { quote } from "./quote.ts";
import { Shells } from "./shell.ts";
import { SshTransport } from "./ssh-transport.ts";
import { Stall } from "./stall.ts";
import { LinkLost, NoSession, Unreachable, type Transport } from "./transport.ts";

/** Commands at a time on one host: an OpenSSH server allows ten sessions in a connection. */
const mostCommands = 6;

/** Times a command is run again when the link broke. */
const mostResumptions = 3;

/** A command that ended badly. */
export class CommandFailed extends Error {
  readonly ended: Ended;
  constructor(message: string, ended: Ended) {
    super(message);
    this.ended = ended;
  }
}

/**
 * A host to work on, as root. Whatever is run on it must be able to run again from its start: after a link has broken
 * it does.
 */
export class Host {
  /** `host1 (10.0.0.11)`. */
  readonly label: string;
  readonly #transport: Transport;
  readonly #shells: Shells;
  readonly #user: string;
  readonly #inTurn = limit(mostCommands);

  constructor(address: HostAddress, transport: Transport = transportTo(address)) {
    this.label = labelOf(address);
    this.#transport = transport;
    this.#shells = new Shells(transport);
    this.#user = address.kind === "ssh" ? address.user : "you";
  }

  /**
   * Runs a shell script. It goes over standard input, so it may hold what nobody else on the host may see; none of it runs
   * before all of it has arrived. It ends at the first command that fails.
   *
   * @param what what is being done, for messages: `writing the files of etcd-0`
   * @param options whether as root, else as the user who logged in
   * @returns what it wrote to standard output
   */
  async run(what: string, script: string, { seconds = 60, root = true } = {}): Promise<string> {
    const line = root ? this.#asRoot("sh -s") : "sh -s";
    return this.#done(what, `no end within ${seconds} s`, seconds, ({ signal }) =>
      this.#shells.run(line, wholeScript(script), signal, hasBegun),
    );
  }

  /**
   * Runs a shell script that reads data from standard input. The script itself can be seen by others on the host.
   *
   * @param options for how long none of the data may be taken: a slow line takes its time
   */
  async send(what: string, script: string, data: () => Readable, { seconds = 600 } = {}): Promise<string> {
    const line = this.#asRoot(inOneLine(`${begin}\n${firstLines}\n${script}`));
    return this.#done(what, `nothing of it was taken for ${seconds} s`, seconds, async (stall) =>
      execute(await this.#transport.start(line), () => stall.through(data()), stall.signal),
    );
  }

  /** Runs a shell script whose standard output goes elsewhere: data that are many, or no text. */
  async fetch(what: string, script: string, sink: Sink, { seconds = 600 } = {}): Promise<void> {
    const input = () => Readable.from([wholeScript(script)]);
    await this.#done(what, `no end within ${seconds} s`, seconds, async ({ signal }) =>
      execute(await this.#transport.start(this.#asRoot("sh -s")), input, signal, sinkAfterBegin(sink)),
    );
  }

  /** A connection to a port on the host's own loopback address, however little of it can be reached from outside. */
  async open(port: number): Promise<Duplex> {
    return this.#transport.open(port);
  }

  close(): void {
    this.#shells.letGo();
    this.#transport.close();
  }

  #asRoot(line: string): string {
    // What sudo says is read, and env is all that every login shell takes a variable from.
    return this.#transport.isRoot ? line : `env LC_ALL=C sudo -n ${line}`;
  }

  /** @param late what is said where it is given up after some seconds */
  async #done(what: string, late: string, seconds: number, attempt: (stall: Stall) => Promise<Ended>): Promise<string> {
    const ended = await this.#inTurn(() => this.#resumed(what, late, seconds, attempt));
    const stdout = afterBegin(ended.stdout);
    if (ended.code === 0) return stdout ?? ended.stdout;
    const how =
      ended.code === undefined ? `ended by ${ended.signal ?? "nobody knows what"}` : `exit code ${ended.code}`;
    const said = ended.stderr.trim().split("\n").slice(-shownLines).join("\n");
    const advice = stdout === undefined ? sudoAdvice(said, this.#user) : undefined;
    if (advice !== undefined) throw new CommandFailed(`${this.label}: ${what}: ${said}\n${advice}`, ended);
    throw new CommandFailed(`${this.label}: ${what}: ${how}${said === "" ? "" : `: ${said}`}`, ended);
  }

  async #resumed(
    what: string,
    late: string,
    seconds: number,
    attempt: (stall: Stall) => Promise<Ended>,
  ): Promise<Ended> {
    const sessionsBy = deadlineIn(seconds);
    for (let resumption = 0; ;) {
      const stall = new Stall(seconds);
      try {
        return await attempt(stall);
      } catch (error) {
        if (error instanceof LinkLost && resumption++ < mostResumptions) continue;
        if (error instanceof NoSession && sessionsBy.left() > 0) {
          this.#shells.letGo();
          await sleep(sessionInterval);
          continue;
        }
        const message = `${this.label}: ${what}: ${messageOf(error)}`;
        if (error instanceof Unreachable) throw new Unreachable(message, error.reason, { cause: error });
        throw new Error(`${this.label}: ${what}: ${stall.signal.aborted ? late : messageOf(error)}`, { cause: error });
      } finally {
        stall.end();
      }
    }
  }
}

/** Milliseconds until a host is asked again for a session that it had none left of. */
const sessionInterval = 200;

/** What to do about an answer of sudo that keeps everything from running; none when it is no such answer. */
function sudoAdvice(said: string, user: string): string | undefined {
  if (/^sudo: .*must have a tty/m.test(said)) {
    return `let user "${user}" do without a terminal (in sudoers: Defaults:${user} !requiretty), or log in as root`;
  }
  const rights = `let user "${user}" run everything without a password (in sudoers: ${user} ALL=(ALL) NOPASSWD: ALL), or log in as root`;
  if (/^env: .*sudo/m.test(said)) return `install sudo there, and ${rights}`;
  return refusesAll.test(said) ? rights : undefined;
}

/** As sudo has it, and the one that is written in Rust (its src/common/error.rs). */
const refusesAll =
  /^sudo: .*(password|terminal|authentication) is required|^sudo: I'm sorry|not in the sudoers file|is not allowed to|may not run/m;

const shownLines = 10;

/** What a login has for new files is not what a deployment wants for its own, and what programs say is read. */
const firstLines = "set -eu\numask 022\nLC_ALL=C\nexport LC_ALL";

/** None of it runs before all of it has arrived. */
const wholeScript = (script: string): string => `main() {\n${firstLines}\n${script}\n}\n${begin}\nmain </dev/null\n`;

/** A script as one line that every login shell takes as it is: csh ends a text in quotes with the line. */
const inOneLine = (script: string): string =>
  `sh -c ${quote(`eval "$(echo ${Buffer.from(script).toString("base64")} | base64 -d)"`)}`;

function transportTo(address: HostAddress): Transport {
  switch (address.kind) {
    case "ssh":
      return new SshTransport(address);
    case "local":
      return new LocalTransport();
  }
}
