import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EtcdClient, encode } from "../../../lib/etcd/client.ts";
import { etcdHealth } from "../../../lib/etcd/health.ts";
import { deadlineIn, waitFor } from "../../../lib/wait.ts";
import { type BackupStatus, readStatus } from "../../../lib/backup/status.ts";
import { ownProgram } from "../../../lib/own-program.ts";
import { idOfManifest, type Manifest, parseManifest } from "../../../lib/snapshots/manifest.ts";
import type { EtcdCluster } from "../../support/etcd.ts";
import { peakMemory } from "../../support/peak-memory.ts";
import { programPath } from "../../support/programs.ts";

type Settings = Record<string, unknown>;

/** Settings of the backup program for an etcd of a test, everything below one directory. */
export async function settingsFor(etcd: EtcdCluster, directory: string, port: number): Promise<Settings> {
  return {
    deployment: "prod",
    karmadaVersion: "1.18.2",
    etcd: { endpoints: etcd.endpoints, ...etcd.files, prefix: "/registry" },
    targets: [{ kind: "local", directory: join(directory, "backup") }],
    encryption: { kind: "none" },
    verify: "status",
    schedule: { cron: "* * * * * *", jitterSeconds: 0 },
    keep: { last: 3, hourly: 0, daily: 0, weekly: 0 },
    programs: { etcd: await programPath("etcd"), etcdutl: await programPath("etcdutl") },
    apartFrom: [join(directory, "etcd-0")],
    directory: join(directory, "own"),
    listen: { address: "127.0.0.1", port },
  };
}

/** The backup program as the supervisor runs it. */
export class BackupProgram {
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | NodeJS.Signals>;
  readonly #settings: Settings;
  output = "";

  constructor(settings: Settings, args: readonly string[] = [], log: number | "pipe" = "pipe") {
    const { command, args: before, env } = ownProgram("lib/backup/main.ts");
    const file = join(String(settings.directory), "../settings.json");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
    this.#settings = settings;
    this.#child = spawn(command, [...before, file, ...args], {
      env: { PATH: "/usr/bin:/bin", ...env },
      stdio: ["ignore", log, "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (part: Buffer) => (this.output += part.toString()));
    }
    this.#exit = new Promise((resolve) => this.#child.once("exit", (code, signal) => resolve(signal ?? code ?? -1)));
  }

  get status(): BackupStatus | undefined {
    return readStatus(join(String(this.#settings.directory), "status.json"));
  }

  /** Highest memory it ever had, in MB. */
  get peakMemory(): number {
    return peakMemory(this.#child.pid!)!;
  }

  /** Ends it, and gives how it ended. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.#child.kill(signal);
    return this.#exit;
  }

  get exit(): Promise<number | NodeJS.Signals> {
    return this.#exit;
  }
}

/** Waits until something is so. */
export async function until<T>(look: () => T | undefined | false, seconds = 20): Promise<T> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(5)) {
    const found = look();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`it did not become so within ${seconds} s: ${look.toString()}`);
}

/** The manifests in a directory of snapshots, oldest name first. */
export function manifestsIn(directory: string): Manifest[] {
  return filesIn(directory)
    .filter((file) => idOfManifest(file) !== undefined)
    .flatMap((file) => {
      try {
        return [parseManifest(readFileSync(join(directory, file), "utf8"))];
      } catch (error) {
        // It may be pruned between the two looks.
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
        throw error;
      }
    });
}

export function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

/** Puts keys below `/registry`, each of so many bytes, as soon as etcd serves. */
export async function fill(etcd: EtcdCluster, count: number, bytes: number): Promise<void> {
  const { authority, client: leaf, endpoints } = etcd;
  const client = new EtcdClient({ ca: authority.certificate, ...leaf });
  try {
    await waitFor("etcd", deadlineIn(60), () => etcdHealth(client, endpoints));
    for (let i = 0; i < count; i++) {
      const value = Buffer.alloc(bytes, i % 256).toString("base64");
      await client.call(endpoints[0]!, "kv/put", { key: encode(`/registry/fill/${i}`), value }, 30_000);
    }
  } finally {
    client.close();
  }
}
