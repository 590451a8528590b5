import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";
import type { Log } from "../server/index.ts";

/** What a command wrote. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Collects what a command writes, for its outputs and for the message when it fails. */
export class OutputCollector {
  readonly #parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  readonly #both: Buffer[] = [];
  readonly #lines: LineLog[] = [];

  /** @param logging which of it is shown while it runs: both where it is left out; a word that means neither shows nothing */
  constructor(streams: { stdout: Readable; stderr: Readable }, logging: string | undefined, log: Log) {
    const shown = { stdout: ["stdout", "stdoutAndStderr"], stderr: ["stderr", "stdoutAndStderr"] };
    for (const name of ["stdout", "stderr"] as const) {
      const lines = logging === undefined || shown[name].includes(logging) ? new LineLog(log) : undefined;
      if (lines) this.#lines.push(lines);
      streams[name].on("data", (chunk: Buffer) => {
        this.#parts[name].push(chunk);
        this.#both.push(chunk);
        lines?.write(chunk);
      });
    }
  }

  /** Both streams, each without one line end. Call it when the streams have ended. */
  finish(): Output {
    for (const lines of this.#lines) lines.end();
    const text = (parts: Buffer[]) => Buffer.concat(parts).toString().replace(/\n$/, "");
    return { stdout: text(this.#parts.stdout), stderr: text(this.#parts.stderr) };
  }

  /** All that was written, in the order it came. */
  everything(): string {
    return Buffer.concat(this.#both).toString();
  }
}

/** Logs whole lines. */
class LineLog {
  readonly #log: Log;
  readonly #decoder = new StringDecoder();
  #rest = "";
  constructor(log: Log) {
    this.#log = log;
  }

  write(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.#log("info", line.replace(/\r$/, ""), { status: true });
  }

  end(): void {
    if (this.#rest !== "") this.#log("info", this.#rest, { status: true });
    this.#rest = "";
  }
}
