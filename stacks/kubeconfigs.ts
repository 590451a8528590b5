import type { Context } from "../spec/context.ts";
import { allMembers } from "../spec/members/groups.ts";
import { fileContent } from "./named-files.ts";

type Typed = Readonly<Record<string, unknown>>;
type Credentials = Readonly<Partial<Record<"kind" | "path" | "stack", unknown>>>;

/** The kubeconfig files that a stack file names, by path as typed. @param directory where relative paths start */
export function kubeconfigFiles(
  typed: Typed,
  directory: string,
  directories: Context["directories"],
): NonNullable<Context["files"]> {
  const paths = textsOf(typed, "kubeconfigFile", "path", directories);
  return Object.fromEntries(paths.map((path) => [path, fileContent(path, directory)]));
}

/** A field of all credentials of a kind, right or wrong: those of members, groups' too, and of a host cluster. */
export function textsOf(
  { placement, adopted, ...typed }: Typed,
  kind: string,
  field: keyof Credentials,
  directories?: Context["directories"],
): string[] {
  const { members } = allMembers(typed, directories);
  const all = [placement, adopted, ...(Array.isArray(members) ? (members as unknown[]) : [])];
  return (all as ({ credentials?: Credentials | null } | null | undefined)[])
    .flatMap((entry) => (entry?.credentials?.kind === kind ? [entry.credentials[field]] : []))
    .filter((text) => typeof text === "string");
}
