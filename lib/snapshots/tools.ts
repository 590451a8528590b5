import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Paths of etcd's own programs, of the version that wrote the snapshot or a later one. */
export interface EtcdTools {
  readonly etcdutl: string;
  /** Only a drill needs it. */
  readonly etcd: string;
}

/** What `etcdutl snapshot status` reads from a snapshot file, after checking the structure of the database. */
export interface SnapshotStatus {
  /** Hexadecimal, without leading zeros. */
  readonly dbHash: string;
  readonly revision: string;
  readonly totalKeys: number;
}

/** Examines a plain snapshot file, read-only: `etcdutl hashkv` would change it. */
export async function snapshotStatus({ etcdutl }: EtcdTools, file: string): Promise<SnapshotStatus> {
  const { stdout } = await run(etcdutl, ["snapshot", "status", file, "-w", "json"], statusMinutes * 60);
  const { hash, revision, totalKey } = JSON.parse(stdout) as { hash: number; revision: number; totalKey: number };
  return { dbHash: hash.toString(16), revision: String(revision), totalKeys: totalKey };
}

/** It reads about 2 GB a second. */
const statusMinutes = 10;

/** Runs one of etcd's programs. @throws with the last lines it wrote */
export async function run(program: string, args: readonly string[], seconds: number): Promise<{ stdout: string }> {
  try {
    return await promisify(execFile)(program, args, { timeout: Math.ceil(seconds * 1000), killSignal: "SIGKILL" });
  } catch (error) {
    const said = `${(error as Failure).stderr ?? ""}`.trim().split("\n").slice(-5).join("\n");
    const name = program.split("/").at(-1);
    throw new Error(`${name} ${args.slice(0, 2).join(" ")}: ${howItEnded(error as Failure, seconds)}: ${said}`, {
      cause: error,
    });
  }
}

/** What Node.js throws for a program: `code` is a number if it ran. */
type Failure = Error &
  Partial<Record<"code", string | number> & Record<"signal" | "stderr", string> & { killed: boolean }>;

function howItEnded({ code, signal, killed, message }: Failure, seconds: number): string {
  if (killed === true) return `it took longer than ${seconds} s`;
  if (signal) return `ended by ${signal}`;
  return typeof code === "number" ? `exit code ${code}` : message;
}
