import { homedir } from "node:os";
import { resolve } from "../../spec/resolve.ts";
import { fileContent } from "../../stacks/named-files.ts";
import type { AdoptedStack } from "./stack-config.ts";

/** @throws what the preview would say of the stack file */
export function checkAdopted(stack: string, { config, secrets }: AdoptedStack, directory: string): void {
  const typed = structuredClone(config) as Record<string, unknown>;
  for (const [path, text] of secrets) put(typed, path, text);
  const { path } = (typed["placement"] as { credentials: { path: string } }).credentials;
  resolve(typed, { stack, directory, home: homedir(), files: { [path]: fileContent(path, directory) } });
}

/** Sets a value at `members[0].credentials.kubeconfig`. */
function put(into: Record<string, unknown>, path: string, value: unknown): void {
  const parts = path.match(/[^.[\]]+/g) ?? [];
  const last = parts.pop() ?? "";
  let at = into;
  for (const part of parts) at = at[part] as Record<string, unknown>;
  at[last] = value;
}
