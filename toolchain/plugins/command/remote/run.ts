import type { Client, ClientChannel } from "ssh2";
import type { Properties } from "../../server/index.ts";
import type { Run } from "../command-type.ts";
import { goQuote } from "../go-quote.ts";
import { OutputCollector } from "../output.ts";
import { previousOutput } from "../previous-output.ts";
import { openConnection } from "./connection.ts";
import { withConnection } from "./dial.ts";
import { setEnvironment } from "./session-environment.ts";

/**
 * Runs a command on the other host, in a connection of its own.
 * @throws Error with the command and all it wrote when it does not end with status 0
 */
export function runRemotely(run: Run): Promise<Properties> {
  return withConnection(openConnection(run.inputs), run, async (client) => {
    setVariables(client, run);
    const channel = await start(client, run.command);
    const streams = { stdout: channel, stderr: channel.stderr };
    const collected = new OutputCollector(streams, run.inputs["logging"] as string | undefined, run.log);
    const ended = end(channel);
    channel.end(run.inputs["stdin"]);
    const failure = await ended;
    const output = collected.finish();
    if (failure === undefined) return { ...output };
    throw new Error(`${failure}: running ${goQuote(run.command)}:\n${collected.everything()}`);
  });
}

function setVariables(client: Client, { inputs, previous, log }: Run): void {
  const configured = Object.entries((inputs["environment"] ?? {}) as Record<string, string>);
  const before = Object.entries(previousOutput(inputs, previous));
  const refused = (name: string) =>
    `Unable to set '${name}'. This only works if your SSH server is configured to accept\n` +
    "\tthese variables via AcceptEnv. Alternatively, if a Bash-like shell runs the command on the remote host, you " +
    "could\n\tprefix the command itself with the variables in the form 'VAR=value command'";
  setEnvironment(client, [
    ...configured.map(([name, value]) => ({
      name,
      value,
      refused() {
        log("error", refused(name));
        throw new Error(`could not set environment variable ${goQuote(name)}: ssh: setenv failed`);
      },
    })),
    ...before.map(([name, value]) => ({ name, value, refused: () => log("warning", refused(name)) })),
  ]);
}

function start(client: Client, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) =>
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel))),
  );
}

/** `undefined` for status 0, otherwise what happened in Go's words. */
function end(channel: ClientChannel): Promise<string | undefined> {
  return new Promise((resolve) => {
    let status = "wait: remote command exited without exit status or exit signal";
    channel.on("error", () => {}); // a command need not read what it is given
    channel.on("exit", (code: number | null, signal?: string) => {
      status = code === null ? signalled(signal ?? "") : code === 0 ? "" : `Process exited with status ${code}`;
    });
    channel.on("close", () => resolve(status || undefined));
  });
}

function signalled(signal: string): string {
  const name = signal.replace(/^SIG/, "");
  const status = 128 + (SIGNALS[name] ?? 0);
  return `Process exited with status ${status} from signal ${name}`;
}

/** RFC 4254 section 6.10, by the numbers of POSIX. */
const SIGNALS: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ILL: 4,
  ABRT: 6,
  FPE: 8,
  KILL: 9,
  SEGV: 11,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
};
