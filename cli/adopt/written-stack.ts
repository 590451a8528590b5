import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fullPath } from "../../stacks/named-files.ts";
import { configOf, stackFile } from "../stack/stack-file.ts";

/** @throws when there is a stack file already */
export function refuseExisting(root: string, stack: string): void {
  const path = stackFile(root, stack);
  if (existsSync(path)) throw new Error(`${path}: is there already, name another stack with --stack`);
}

/**
 * Makes sure that what is written to the old plane until it is fenced reaches the new one.
 *
 * @throws when the stack file does not restore this snapshot
 */
export async function refuseOther(root: string, stack: string, snapshot: string): Promise<void> {
  const path = stackFile(root, stack);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  if (text !== undefined && sourceOf(configOf(text, path), root) === snapshot) return;
  const found = text === undefined ? "there is no such file" : `it does not restore ${snapshot}`;
  throw new Error(
    `${path}: ${found}, and the stack would not go on from what is fenced; name the one that was written for it with --stack, or have it written first, without --fence`,
  );
}

/** The file that a stack restores. */
function sourceOf(config: Readonly<Record<string, unknown>>, root: string): string | undefined {
  const etcd = config["karmada:etcd"] as { restore?: { source?: { path?: unknown } | null } | null } | null | undefined;
  const path = etcd?.restore?.source?.path;
  return typeof path === "string" ? fullPath(path, root) : undefined;
}
