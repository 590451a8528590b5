import { spawn } from "node:child_process";
import { connect } from "node:net";
import { Readable, type Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Ended, Input, Sink, Transport } from "./transport.ts";

/** This machine as a host. */
export class LocalTransport implements Transport {
  readonly isRoot = process.getuid?.() === 0;

  async execute(line: string, input: Input, signal: AbortSignal, sink?: Sink): Promise<Ended> {
    const child = spawn("sh", ["-c", line], { stdio: ["pipe", "pipe", "pipe"], signal, killSignal: "SIGKILL" });
    const output = { stdout: "", stderr: "" };
    const written = sink && pipeline(child.stdout, sink());
    if (sink === undefined) child.stdout.setEncoding("utf8").on("data", (part: string) => (output.stdout += part));
    child.stderr.setEncoding("utf8").on("data", (part: string) => (output.stderr += part));
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) =>
        resolve({ ...output, ...(code !== null && { code }), ...(signal !== null && { signal }) }),
      );
    });
    // A command need not read what it is given.
    await Promise.all([pipeline(readable(input), child.stdin).catch(() => undefined), ended, written]);
    return ended;
  }

  open(port: number): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("error", reject);
      socket.once("connect", () => resolve(socket.off("error", reject)));
    });
  }

  close(): void {}
}

/** The data of an input from its start. */
export const readable = (input: Input): Readable => (typeof input === "string" ? Readable.from([input]) : input());
