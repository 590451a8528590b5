import { archiveProblem, nodesProblem, registryProblem } from "../images/usage.ts";

/** What of the options of `npm run bundle` cannot be meant so, and what can. */
export function wrongUsage(
  { file, into, from, to, platform, nodes }: Readonly<Record<string, string>>,
  flags: ReadonlySet<string>,
): string | undefined {
  if (file === "") return '--file: got "", want the path of a stack file';
  if ((into === undefined) === (from === undefined))
    return "want one of --into, the archive to make, and --from, the one to use";
  if (from !== undefined && (file ?? platform ?? nodes) !== undefined)
    return "--file, --platform and --nodes are for the archive to make";
  if (into !== undefined && (to !== undefined || flags.has("list")))
    return "--to and --list want --from, the archive to use";
  if (to !== undefined && flags.has("list")) return "--list only looks, want it without --to";
  return (
    (nodes === undefined ? undefined : nodesProblem("--nodes", nodes)) ??
    (to === undefined ? undefined : registryProblem(to)) ??
    (into === undefined ? undefined : archiveProblem("--into", into, "what is in it is compressed"))
  );
}
