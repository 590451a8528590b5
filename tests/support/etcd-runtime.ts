import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bootstrap, MemberRun, MemberRuntime } from "../../lib/etcd/runtime/runtime.ts";
import { sha256 } from "../../lib/sha256.ts";

/** What a member of a test runs. */
export interface Prepared {
  readonly command: string;
  readonly args: readonly string[];
}

/** A start of a member: with which directory for its data, and whether that was there before. */
export interface Start {
  readonly incarnation: number;
  readonly used: boolean;
}

/**
 * Real members of etcd with nothing around them. All it knows lies in its directory, so that the process that started a
 * member can be killed and another goes on; nobody starts a member again that has ended.
 */
export class TestEtcdRuntime implements MemberRuntime {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes down what a member runs from its next start on. @returns the revision */
  prepare(member: string, prepared: Prepared): string {
    mkdirSync(this.#path(member, "data"), { recursive: true });
    const text = JSON.stringify(prepared);
    const revision = sha256(text).slice(0, 12);
    this.#write(member, "prepared.json", { ...prepared, revision });
    return revision;
  }

  async observe(member: string): Promise<MemberRun> {
    const started = this.#started(member);
    const running = started !== undefined && alive(started.pid);
    const bootstrap = this.#read<Bootstrap>(member, "bootstrap.json");
    const prepared = this.#read<{ revision: string }>(member, "prepared.json")?.revision;
    return {
      running,
      ...(running && { revision: started.revision }),
      ...(prepared !== undefined && { prepared }),
      ...(bootstrap !== undefined && { bootstrap }),
      incarnations: this.#incarnations(member),
    };
  }

  async start(member: string, bootstrap: Bootstrap): Promise<void> {
    const prepared = this.#read<Prepared & { revision: string }>(member, "prepared.json");
    if (prepared === undefined) throw new Error(`${member}: is not prepared`);
    await this.stop(member);
    this.#write(member, "bootstrap.json", bootstrap);
    const used = this.#incarnations(member).includes(bootstrap.incarnation);
    const log = openSync(this.#path(member, "log"), "a");
    const child = spawn(prepared.command, prepared.args, {
      stdio: ["ignore", log, log],
      detached: true,
      env: {
        ETCD_INITIAL_CLUSTER_TOKEN: bootstrap.token,
        ETCD_INITIAL_CLUSTER_STATE: bootstrap.state,
        ETCD_INITIAL_CLUSTER: bootstrap.initialCluster,
        ETCD_DATA_DIR: this.#path(member, join("data", String(bootstrap.incarnation))),
      },
    }).on("error", () => {});
    child.unref();
    const { pid } = child;
    if (pid === undefined) throw new Error(`${member}: ${prepared.command} cannot be started`);
    this.#write(member, "started.json", { pid, revision: prepared.revision });
    const start: Start = { incarnation: bootstrap.incarnation, used };
    appendFileSync(this.#path(member, "starts"), `${JSON.stringify(start)}\n`);
  }

  async stop(member: string): Promise<void> {
    await this.#end(member, "SIGTERM");
  }

  async retire(member: string, incarnation: number): Promise<string | undefined> {
    const from = this.#path(member, join("data", String(incarnation)));
    const to = this.#path(member, join("data", `retired-${incarnation}`));
    if (!this.#incarnations(member).includes(incarnation)) return undefined;
    renameSync(from, to);
    return to;
  }

  async log(member: string): Promise<string> {
    return readFileSync(this.#path(member, "log"), "utf8").split("\n").slice(-15).join("\n");
  }

  /** Ends a member as a power cut does. */
  async kill(member: string): Promise<void> {
    await this.#end(member, "SIGKILL");
  }

  /** A disk that was lost: its data, not what is prepared. */
  async wipe(member: string): Promise<void> {
    await this.kill(member);
    rmSync(this.#path(member, "data"), { recursive: true });
    mkdirSync(this.#path(member, "data"));
  }

  /** Every start there was. */
  starts(member: string): Start[] {
    const path = this.#path(member, "starts");
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Start);
  }

  /** Directories of data, those put aside too. */
  directories(member: string): string[] {
    return readdirSync(this.#path(member, "data")).sort();
  }

  async killAll(): Promise<void> {
    await Promise.all(readdirSync(this.#directory).map((member) => this.kill(member)));
  }

  async #end(member: string, signal: NodeJS.Signals): Promise<void> {
    const pid = this.#started(member)?.pid;
    if (pid === undefined || !alive(pid)) return;
    process.kill(pid, signal);
    for (let i = 0; alive(pid) && i < 1500; i++) await sleep(10);
    if (alive(pid)) process.kill(pid, "SIGKILL");
  }

  #started = (member: string) => this.#read<{ pid: number; revision: string }>(member, "started.json");

  #incarnations(member: string): number[] {
    try {
      return this.directories(member)
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
        .sort((a, b) => a - b);
    } catch {
      return [];
    }
  }

  #read<T>(member: string, file: string): T | undefined {
    try {
      return JSON.parse(readFileSync(this.#path(member, file), "utf8")) as T;
    } catch {
      return undefined;
    }
  }

  #write(member: string, file: string, content: object): void {
    const path = this.#path(member, file);
    writeFileSync(`${path}.new`, JSON.stringify(content));
    renameSync(`${path}.new`, path);
  }

  #path = (member: string, file: string) => join(this.#directory, member, file);
}

/**
 * A process that nobody has waited for is as good as gone, once its last thread has ended: until then it holds its ports.
 * After SIGKILL the first thread ends at once, those that write a large database only when the disk lets go of them.
 */
function alive(pid: number): boolean {
  try {
    const ended = /^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    return !ended || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}
