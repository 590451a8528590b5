import { randomBytes } from "node:crypto";
import { killedOn, type Ended } from "./execute.ts";
import { quote } from "./quote.ts";
import type { Exit, Session, Transport } from "./transport.ts";

/**
 * A shell on a host that runs one script after another. With a session per script the host would start a login shell,
 * sudo if needed, and a shell to run it, which is more work than most scripts are.
 */
class Shell {
  readonly #session: Session;
  #stdout = "";
  #stderr = "";
  #exit: Exit | undefined;
  #lost: Error | undefined;
  #heard: () => void = () => undefined;

  constructor(session: Session) {
    this.#session = session;
    // Whoever waits for a script has a timer, which keeps this program alive.
    session.unref();
    const hear = (part: () => void) => {
      part();
      this.#heard();
    };
    session.stdout.setEncoding("utf8").on("data", (part: string) => hear(() => (this.#stdout += part)));
    session.stderr.setEncoding("utf8").on("data", (part: string) => hear(() => (this.#stderr += part)));
    session.stdin.on("error", () => undefined);
    session.ended.then(
      (exit) => hear(() => (this.#exit = exit)),
      (error: Error) => hear(() => (this.#lost = error)),
    );
  }

  /** Whether it can run another script. */
  get isThere(): boolean {
    return this.#exit === undefined && this.#lost === undefined;
  }

  /** Runs a script to its end, or to the shell's own. */
  async run(script: string, signal: AbortSignal): Promise<Ended> {
    const mark = `ended-${randomBytes(8).toString("hex")}`;
    const ended = new Promise<Ended>((resolve, reject) => {
      this.#heard = () => {
        if (this.#lost !== undefined) return reject(this.#lost);
        const ended = this.#endedBy(mark);
        if (ended !== undefined) resolve(ended);
      };
    });
    [this.#stdout, this.#stderr] = ["", ""];
    // eval reports what cannot be parsed, rather than waiting for the rest of it.
    this.#session.stdin.write(`(eval ${quote(script)})\nprintf '%s %s\\n' ${mark} $?; echo ${mark} >&2\n`);
    this.#heard();
    return killedOn(signal, this.#session, ended);
  }

  end(): void {
    this.#session.stdin.end();
  }

  #endedBy(mark: string): Ended | undefined {
    const [out, err] = [this.#stdout.lastIndexOf(mark), this.#stderr.lastIndexOf(mark)];
    const code = out === -1 ? undefined : /^ (\d+)\n$/.exec(this.#stdout.slice(out + mark.length))?.[1];
    if (code !== undefined && err !== -1) {
      return { code: Number(code), stdout: this.#stdout.slice(0, out), stderr: this.#stderr.slice(0, err) };
    }
    return this.#exit && { ...this.#exit, stdout: this.#stdout, stderr: this.#stderr };
  }
}

/** Kept for the next scripts. Together with all that runs on a host at a time they fit into OpenSSH's ten sessions. */
const mostIdle = 3;

/** Our shells on a host. */
export class Shells {
  readonly #transport: Transport;
  #idle: { readonly line: string; readonly shell: Shell }[] = [];

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Runs a script. If an idle shell turns out to be gone before it began, another one runs it.
   *
   * @param line starts a shell that takes scripts from its standard input
   * @param hasBegun whether a script has, by its output
   */
  async run(line: string, script: string, signal: AbortSignal, hasBegun: (stdout: string) => boolean): Promise<Ended> {
    for (;;) {
      const waiting = this.#take(line);
      const shell = waiting ?? new Shell(await this.#transport.start(line));
      const ended = await shell.run(script, signal);
      if (shell.isThere) this.#keep(line, shell);
      else if (waiting !== undefined && !hasBegun(ended.stdout)) continue;
      return ended;
    }
  }

  /** Ends idle ones: others wait for their sessions. */
  letGo(): void {
    for (const { shell } of this.#idle) shell.end();
    this.#idle = [];
  }

  #take(line: string): Shell | undefined {
    this.#idle = this.#idle.filter(({ shell }) => shell.isThere);
    const at = this.#idle.findLastIndex((each) => each.line === line);
    return at === -1 ? undefined : this.#idle.splice(at, 1)[0]!.shell;
  }

  #keep(line: string, shell: Shell): void {
    this.#idle.push({ line, shell });
    if (this.#idle.length > mostIdle) this.#idle.shift()!.shell.end();
  }
}
