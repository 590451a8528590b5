import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { FilesIn } from "./files-in.ts";
import { LocalDataDirectory } from "./local-data-directory.ts";
import { haltPrograms, resumePrograms } from "./local-programs.ts";
import type { MemberFiles } from "./member-files.ts";
import { readJson, writeAtomically } from "../../atomic-file.ts";
import { ensureProcess, listProcesses, removeProcess, restartProcess } from "../../supervisor/client.ts";
import { endOfLog } from "../../supervisor/log-end.ts";
import { readPrepared } from "../../supervisor/prepared.ts";
import { processPaths } from "../../supervisor/process-paths.ts";
import { runningRecord, wantedDescription } from "../../supervisor/records.ts";
import { bootstrapVariables, dataVariable } from "../bootstrap-variables.ts";
import { advertisedIn } from "../advertised.ts";
import { linesToRead } from "../log-lines.ts";
import type { Bootstrap, EtcdRuntime, FormerMembers, MemberRun } from "./runtime.ts";

/**
 * Members that a supervisor of this machine keeps running. Beside a member's files lie `prepared.json`, what it is
 * started as, and `bootstrap.json`, what it was last started with; its data are in `data/<incarnation>`, retired ones
 * in `data/retired-<incarnation>`. Nothing else starts a member whose data are gone: it would come back as an empty
 * one, under its old identity or with others like it.
 */
export class LocalEtcdRuntime implements EtcdRuntime {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async observe(member: string): Promise<MemberRun> {
    const revision = await this.#runningRevision(member);
    const prepared = readPrepared(this.#directory, member)?.revision;
    const bootstrap = readJson<Bootstrap>(this.#bootstrapFile(member));
    const clientUrl = advertisedIn(wantedDescription(this.#directory, member)?.args ?? []);
    return {
      running: revision !== undefined,
      ...(revision !== undefined && { revision }),
      ...(prepared !== undefined && { prepared }),
      ...(bootstrap !== undefined && { bootstrap }),
      ...(clientUrl !== undefined && { clientUrl }),
      incarnations: incarnationsIn(this.#paths(member).data),
    };
  }

  async start(member: string, bootstrap: Bootstrap): Promise<void> {
    const prepared = readPrepared(this.#directory, member);
    if (prepared === undefined) throw new Error(`${member}: starting it: it is not prepared in ${this.#directory}`);
    const { data } = this.#paths(member);
    const variables = bootstrapVariables(bootstrap, data);
    const needs = variables[dataVariable];
    writeAtomically(this.#bootstrapFile(member), JSON.stringify(bootstrap, undefined, 2));
    mkdirSync(needs, { recursive: true, mode: 0o700 });
    const before = runningRecord(this.#directory, member)?.pid;
    const description = { ...prepared, needs, env: { ...prepared.env, ...variables } };
    let { running, lastExit } = await ensureProcess(this.#directory, description);
    // The supervisor leaves a running revision alone, whatever its environment.
    if (running !== undefined && running.pid === before) {
      ({ running, lastExit } = await restartProcess(this.#directory, member, description.stopSeconds));
    }
    if (running === undefined && lastExit?.notStarted === true) throw new Error(`${member}: ${lastExit.reason}`);
  }

  async stop(member: string): Promise<void> {
    const known = wantedDescription(this.#directory, member) ?? readPrepared(this.#directory, member);
    await removeProcess(this.#directory, member, known?.stopSeconds ?? unknownStopSeconds);
  }

  async retire(member: string, incarnation: number): Promise<string | undefined> {
    const { data } = this.#paths(member);
    const from = join(data, String(incarnation));
    if (!existsSync(from)) return undefined;
    const to = freeName(join(data, `retired-${incarnation}`));
    renameSync(from, to);
    return to;
  }

  async log(member: string): Promise<string> {
    return endOfLog(this.#paths(member).log, { lines: linesToRead, characters: Infinity }).join("\n");
  }

  files(member: string): MemberFiles {
    return new FilesIn(new LocalDataDirectory(this.#paths(member).data));
  }

  async former(names: readonly string[], declared: readonly string[]): Promise<FormerMembers> {
    const left = names.filter((name) => !declared.includes(name) && existsSync(this.#paths(name).own));
    return { members: left.map((name) => ({ name, label: name, at: this })), unseen: [] };
  }

  async halt(programs: readonly string[]): Promise<void> {
    await haltPrograms(this.#directory, programs);
  }

  async resume(programs: readonly string[]): Promise<void> {
    await resumePrograms(this.#directory, programs);
  }

  /** The supervisor knows best; while none runs, its notes still do. */
  async #runningRevision(member: string): Promise<string | undefined> {
    const statuses = await listProcesses(this.#directory);
    if (statuses === undefined) return runningRecord(this.#directory, member)?.revision;
    return statuses.find(({ description }) => description.name === member)?.running?.revision;
  }

  #bootstrapFile(member: string): string {
    return this.#paths(member).file("bootstrap.json");
  }

  #paths(member: string) {
    return processPaths({ directory: this.#directory, name: member });
  }
}

/** For a member of which no description is left. */
const unknownStopSeconds = 10;

function incarnationsIn(data: string): number[] {
  try {
    const numbers = readdirSync(data).filter((entry) => /^\d+$/.test(entry));
    return numbers.map(Number).sort((a, b) => a - b);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** What was moved aside before, perhaps by hand, stays. */
function freeName(path: string): string {
  if (!existsSync(path)) return path;
  for (let i = 2; ; i++) if (!existsSync(`${path}-${i}`)) return `${path}-${i}`;
}
