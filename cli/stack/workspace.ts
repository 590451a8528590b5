import { mkdir, rm, rmdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "../../lib/atomic-file.ts";
import { locate, type VersionSet } from "../../toolchain/index.ts";
import { simpleName } from "../../toolchain/pulumi/stack-name.ts";

/** What `npm start` leaves for people beside the stack file: a kubeconfig and the clients that fit. */
export interface Workspace {
  readonly kubeconfig: string;
  /** Holds `kubectl` and `karmadactl`. */
  readonly bin: string;
}

/** The directory of a stack, removed with it. */
export const workspaceOf = (root: string, stack: string): string => join(root, ".karmada", simpleName(stack));

/** Writes it; only this user can read the kubeconfig. */
export async function writeWorkspace(
  root: string,
  stack: string,
  kubeconfig: string,
  versions: VersionSet,
): Promise<Workspace> {
  const directory = workspaceOf(root, stack);
  const workspace = { kubeconfig: join(directory, "kubeconfig"), bin: join(directory, "bin") };
  await mkdir(workspace.bin, { recursive: true, mode: 0o700 });
  writeAtomically(workspace.kubeconfig, kubeconfig);
  await link(workspace.bin, "kubectl", versions.kubernetes);
  await link(workspace.bin, "karmadactl", versions.karmada);
  return workspace;
}

/** Removes it again. */
export async function removeWorkspace(root: string, stack: string): Promise<void> {
  await rm(workspaceOf(root, stack), { recursive: true, force: true });
  await rmdir(join(root, ".karmada")).catch(() => {}); // another stack has something there
}

async function link(bin: string, name: string, version: string): Promise<void> {
  const program = await locate({ name, version });
  if (!program) return;
  await rm(join(bin, name), { force: true });
  await symlink(program.path, join(bin, name));
}
