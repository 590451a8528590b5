import { sha256 } from "../../lib/sha256.ts";
import type { ProcessDescription } from "../../lib/supervisor/description.ts";
import { processPaths } from "../../lib/supervisor/process-paths.ts";
import type { LocalProcessInputs } from "../local-process.ts";

type Declared = Omit<LocalProcessInputs, "address" | "probe" | "startSeconds" | "dataVersion">;

/** What the supervisor needs to know. */
export function describe(inputs: Declared, revision: string): ProcessDescription {
  const { name, program, args, env, ports, stopSeconds } = inputs;
  const { own, log } = processPaths(inputs);
  return {
    name,
    command: program,
    args,
    env,
    workingDirectory: own,
    log,
    ports: Object.values(ports),
    stopSeconds,
    revision,
  };
}

/** A digest of everything that requires a restart: the program itself, its arguments, variables and files. */
export function revisionOf({
  program,
  programSha256,
  args,
  env,
  files,
}: Pick<Declared, "program" | "programSha256" | "args" | "env" | "files">): string {
  const sorted = (record: Readonly<Record<string, string>>) =>
    Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([program, programSha256, args, sorted(env), sorted(files)]));
}
