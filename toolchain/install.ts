import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { limit } from "./limit.ts";
import { HttpClient, type HttpOptions } from "./net/http.ts";
import { hostPlatform } from "./platform.ts";
import { title, type Platform, type Program, type ProgramRef, type ProgramSet } from "./program.ts";
import type { Progress } from "./progress.ts";
import type { Context, Outcome, Source } from "./sources/source.ts";
import { withLock } from "./store/lock.ts";
import {
  addArtifact,
  findArtifact,
  makeTemporary,
  removeTemporary,
  storeDirectory,
  type Artifact,
} from "./store/store.ts";
import { cannotWrite, NotObtained, withRemedy, type Attempt } from "./failure.ts";

export interface InstallOptions {
  /** Platform the programs are to run on. @default this machine's */
  readonly platform?: Platform;
  /** Places to try, in order. */
  readonly sources: readonly Source[];
  readonly sets: readonly ProgramSet[];
  /** @default storeDirectory() */
  readonly store?: string;
  /** Uses no network: what is cached, installed or in a local mirror must do. @default false */
  readonly offline?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: Progress) => void;
  readonly http?: HttpOptions;
}

/**
 * Makes sure that programs are in the store, and says where. What is there is left alone; sets are worked on at once,
 * and each result is kept as soon as it is verified, so that an interrupted run goes on where it was.
 * @throws NotObtained naming every program that no source could give, with what each source said
 */
export async function installFrom(wanted: readonly ProgramRef[], options: InstallOptions): Promise<Artifact[]> {
  const platform = options.platform ?? hostPlatform();
  const store = options.store ?? storeDirectory(options.env);
  const programs = wanted.map((ref) => programNamed(options.sets, ref));
  const found = await Promise.all(programs.map((program) => locateProgram(store, program, platform)));
  if (found.every((artifact) => artifact !== undefined)) return found;

  const temporary = await makeTemporary(store).catch((error: Error) => {
    throw cannotWrite(store, error);
  });
  const context = contextOf(options, store, temporary);
  try {
    const missing = programs.filter((_, i) => !found[i]);
    const groups = options.sets
      .map((set) => ({ set, programs: missing.filter((program) => set.programs.includes(program)) }))
      .filter((group) => group.programs.length > 0);
    const results = await Promise.allSettled(
      groups.map(({ set, programs }) => installSet(set, programs, platform, options.sources, context)),
    );
    const attempts = results.flatMap((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
    if (attempts.length > 0) throw new NotObtained(attempts, platform);
  } finally {
    await removeTemporary(temporary);
  }
  return Promise.all(programs.map(async (program) => (await locateProgram(store, program, platform))!));
}

/** Looks a program up in the store only. */
export const locateProgram = (store: string, program: Program, platform: Platform): Promise<Artifact | undefined> =>
  findArtifact(store, program, program.kind === "files" ? "any" : platform);

/** @throws when the pinned list does not have it; says which versions there are */
export function programNamed(sets: readonly ProgramSet[], ref: ProgramRef): Program {
  const found = findProgram(sets, ref);
  if (found) return found;
  const all = sets.flatMap((set) => set.programs);
  const versions = all.filter((program) => program.name === ref.name).map((program) => program.version);
  const names = [...new Set(all.map((program) => program.name))];
  throw new Error(
    versions.length > 0
      ? `${title(ref)}: not a pinned version, there is ${versions.join(", ")}`
      : `${ref.name}: not in the list of programs, want one of ${names.join(", ")}`,
  );
}

/** The program of exactly this name and version, if a set has it. */
export const findProgram = (sets: readonly ProgramSet[], ref: ProgramRef): Program | undefined =>
  sets.flatMap((set) => set.programs).find(({ name, version }) => name === ref.name && version === ref.version);

/** Tries the sources in order for what is still missing; the answer lists what none could give. */
async function installSet(
  set: ProgramSet,
  programs: readonly Program[],
  platform: Platform,
  sources: readonly Source[],
  context: Context,
): Promise<Attempt[]> {
  const lock = join(context.store, "locks", `${set.name}.${platform.replace("/", "-")}`);
  const onWait = (holder: string) => context.progress({ subject: set.name, step: `wait for ${holder}` });
  return withLock(lock, { signal: context.signal, onWait }, async () => {
    const attempts = new Map<Program, Attempt>();
    for (const program of programs) {
      if (await locateProgram(context.store, program, platform)) continue;
      attempts.set(program, { program, failures: [] });
    }
    for (const source of sources) {
      const offered = [...attempts.keys()].filter((program) => source.offers(set, program, platform) !== undefined);
      if (offered.length === 0) continue;
      const outcomes = await obtain(source, { set, programs: offered, platform, context });
      for (const outcome of outcomes) {
        const error = await keep(source, outcome, platform, context);
        if (error)
          attempts
            .get(outcome.program)
            ?.failures.push({ source: source.name, error: withRemedy(error, context.store) });
        else attempts.delete(outcome.program);
      }
    }
    context.progress(
      attempts.size === 0
        ? { subject: set.name, step: "done", finished: "ok" }
        : { subject: set.name, step: "not obtained", finished: "failed" },
    );
    return [...attempts.values()];
  });
}

async function obtain(source: Source, order: Parameters<Source["obtain"]>[0]): Promise<Outcome[]> {
  try {
    return await source.obtain(order);
  } catch (error) {
    order.context.signal?.throwIfAborted();
    return order.programs.map((program) => ({ program, error: error as Error }));
  } finally {
    order.context.progress({ subject: order.set.name, step: "", finished: "left" });
  }
}

/** Puts a result into the store. @returns why that was not possible */
async function keep(
  source: Source,
  outcome: Outcome,
  platform: Platform,
  context: Context,
): Promise<Error | undefined> {
  if ("error" in outcome) return outcome.error;
  const { program, directory, address, verified } = outcome;
  try {
    await addArtifact(context.store, program, platform, directory, { source: source.name, address, verified });
    context.progress({ subject: title(program), step: `from ${source.name}`, finished: "ok" });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function contextOf(options: InstallOptions, store: string, temporary: string): Context {
  let made = 0;
  return {
    store,
    http: new HttpClient(options.http),
    offline: options.offline ?? false,
    env: options.env ?? process.env,
    signal: options.signal,
    progress: options.onProgress ?? (() => undefined),
    downloads: limit(6),
    builds: limit(1),
    scratch: async () => {
      const path = join(temporary, String(made++));
      await mkdir(path);
      return path;
    },
  };
}
