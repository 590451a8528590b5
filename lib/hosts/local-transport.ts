import { spawn } from "node:child_process";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { Exit, Session, Transport } from "./transport.ts";

/** This machine as a host. */
export class LocalTransport implements Transport {
  readonly isRoot = process.getuid?.() === 0;

  async start(line: string): Promise<Session> {
    // A process group of its own, to be ended with everything it runs.
    const child = spawn("sh", ["-c", line], { stdio: ["pipe", "pipe", "pipe"], detached: true });
    const { stdin, stdout, stderr } = child;
    const ended = new Promise<Exit>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) =>
        resolve({ ...(code !== null && { code }), ...(signal !== null && { signal }) }),
      );
    });
    ended.catch(() => undefined);
    return {
      stdin,
      stdout,
      stderr,
      ended,
      kill: () => killGroup(child.pid),
      unref: () => {
        for (const each of [child, ...child.stdio]) (each as Partial<typeof child>).unref?.();
      },
    };
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

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended, or belongs to another user (sudo) and ends with its input.
  }
}
