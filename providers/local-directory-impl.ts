import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { writeAtomically } from "../lib/atomic-file.ts";
import { removeIfEmpty } from "../lib/remove-if-empty.ts";
import { mebibytes } from "../lib/size.ts";
import { removeAll, startSupervisor } from "../lib/supervisor/client.ts";
import { supervisorLayout } from "../lib/supervisor/layout.ts";
import { preparedNames } from "../lib/supervisor/prepared.ts";
import { implement, type Problem } from "./implementation.ts";
import type { LocalDirectoryInputs, LocalDirectoryOutputs } from "./local-directory.ts";
import { checkDirectory, nearestExisting } from "./local-process/check.ts";
import { removeProcessFiles } from "./local-process/files.ts";
import { sparingDeclared } from "./still-declared.ts";
import { checkUnknown } from "./unknown-deployment.ts";

const implemented = implement<LocalDirectoryInputs, LocalDirectoryOutputs>({
  inputs: { directory: "replace", deployment: "update" },
  id: ({ directory }) => directory,
  async check(inputs) {
    const problems = [...(await checkDirectory(inputs)), ...checkOwner(inputs)];
    return problems.length > 0 ? problems : checkRoom(inputs);
  },
  create: (inputs) => begin(inputs),
  /** One that is gone stays in the state: when its disk is mounted again it is no stranger's. */
  async read({ directory }) {
    return { state: {}, drift: existsSync(directory) ? [] : [`${directory} is gone`] };
  },
  update: begin,
  async delete({ directory, made }) {
    const names = await removeAll(directory, 2);
    for (const name of new Set([...names, ...preparedNames(directory)])) removeProcessFiles({ directory, name });
    if (made !== undefined) removeMade(directory, made);
  },
});

/**
 * A deployment cannot move to another directory: its data would stay behind, and with them everything the API holds.
 * Nor can a state without its keys continue with it.
 */
const staying: typeof implemented = {
  ...implemented,
  read(id, props) {
    note(props);
    return implemented.read(id, props);
  },
  async check(olds, news) {
    note(olds);
    const { inputs, failures = [] } = await implemented.check(olds, news);
    const taken = failures.length > 0 ? [] : checkTaken(news);
    return { inputs, failures: [...checkMove(olds ?? {}, news), ...failures, ...taken] };
  },
};

/**
 * Directories in the state, as far as this run has shown them: a replacement is checked without the old state, once more if
 * it follows from another one, and only so if it is forced (`up --replace`, `state taint`). Then only a refresh shows it.
 */
const known = new Set<string>();

function note(state: Known = {}): void {
  if (state.directory !== undefined) known.add(state.directory);
}

/** All data of the deployment are in it: a forced replacement leaves it where it is, or is refused. */
export const provider = sparingDeclared(staying, ({ directory }) => `directory ${directory}`);

type Known = Partial<LocalDirectoryInputs>;

function checkMove(before: Known, { directory }: Known): Problem[] {
  if (before.directory === undefined || directory === undefined || before.directory === directory) return [];
  const reason = `the deployment is in ${before.directory} and cannot move to ${directory}\nset placement.directory back, or, to begin anew without its data, run \`pulumi destroy\` first`;
  return [{ property: "directory", reason }];
}

function checkOwner({ directory, deployment }: Known): Problem[] {
  if (directory === undefined || deployment === undefined) return [];
  const owner = ownerOf(directory);
  if (owner === undefined || owner === deployment) return [];
  const reason = `${directory}: deployment "${owner}" is in it, "${deployment}" needs another placement.directory\nto give "${owner}" another name, run \`pulumi destroy\` first`;
  return [{ property: "directory", reason }];
}

/** By what the state does not know; a deployment of another name is said by {@link checkOwner}. */
function checkTaken({ directory }: Known): Problem[] {
  return directory === undefined || known.has(directory) ? [] : checkUnknown(directory, ownerOf(directory));
}

/**
 * Three members of etcd and one for simulated members each write a log of 64 MB before they serve, and a second one
 * soon after.
 */
const roomBytes = 512 * 2 ** 20;

/** For a deployment that does not exist yet. */
async function checkRoom({ directory }: Known): Promise<Problem[]> {
  if (directory === undefined || ownerOf(directory) !== undefined) return [];
  const { bavail, bsize } = await statfs(nearestExisting(directory));
  const free = bavail * bsize;
  if (free >= roomBytes) return [];
  const reason = `${directory}: ${mebibytes(free, Math.floor)} free, want ${mebibytes(roomBytes)}\nmake room there, or choose another placement.directory`;
  return [{ property: "directory", reason }];
}

/** The deployment whose supervisor is in a directory. */
function ownerOf(directory: string): string | undefined {
  try {
    return readFileSync(ownerFile(directory), "utf8");
  } catch {
    return undefined;
  }
}

/** It is removed with the supervisor's files, when the last process is gone. */
const ownerFile = (directory: string) => join(supervisorLayout(directory).own, "deployment");

/** The processes come a moment later, and find their supervisor waiting. */
async function begin(inputs: LocalDirectoryInputs, before: LocalDirectoryOutputs = {}): Promise<LocalDirectoryOutputs> {
  const [problem] = checkOwner(inputs);
  if (problem !== undefined) throw new Error(problem.reason);
  const made = mkdirSync(inputs.directory, { recursive: true, mode: 0o700 }) ?? before.made;
  await startSupervisor(inputs.directory);
  writeAtomically(ownerFile(inputs.directory), inputs.deployment, 0o600);
  return made === undefined ? {} : { made };
}

/** Removes the directory and those above it that were made for it, as far as nothing is in them. */
function removeMade(directory: string, made: string): void {
  for (let path = directory; path === made || path.startsWith(made + sep); path = dirname(path)) removeIfEmpty(path);
}
