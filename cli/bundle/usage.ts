import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { nodesProblem, registryProblem } from "../images/usage.ts";

/** What of the options of `npm run bundle` cannot be meant so, and what can. */
export async function wrongUsage(
  { file, into, from, to, platform, nodes }: Readonly<Record<string, string>>,
  flags: ReadonlySet<string>,
): Promise<string | undefined> {
  if (file === "") return '--file: got "", want the path of a stack file';
  if ((into === undefined) === (from === undefined))
    return "want one of --into, the archive to make, and --from, the one to use";
  if (from !== undefined && (file ?? platform ?? nodes) !== undefined)
    return "--file, --platform and --nodes are for the archive to make";
  if (into !== undefined && (to !== undefined || flags.has("list")))
    return "--to and --list want --from, the archive to use";
  if (to !== undefined && flags.has("list")) return "--list only looks, want it without --to";
  const wrong =
    (nodes === undefined ? undefined : nodesProblem("--nodes", nodes)) ??
    (to === undefined ? undefined : registryProblem(to));
  if (wrong !== undefined || into === undefined) return wrong;
  if (!into.endsWith(".tar"))
    return `--into: got "${into}", want a name that ends in .tar: what is in it is compressed`;
  const directory = dirname(resolve(into));
  const there = await access(directory).then(
    () => true,
    () => false,
  );
  return there ? undefined : `--into: got "${into}", but there is no directory ${directory}`;
}
