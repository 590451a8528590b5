import { allMembers } from "../../spec/members/groups.ts";
import { kubeconfigDirectories } from "../../stacks/named-files.ts";

/** The values of a stack file by their keys, right or wrong. */
export type Typed = Readonly<Record<string, unknown>>;

/** What was typed for a member, right or wrong. */
export type TypedMember = {
  readonly syncMode?: unknown;
  readonly agent?: { readonly kind?: unknown } | null;
  readonly credentials?: { readonly kind?: unknown } | null;
} | null;

/** All members of a stack file, those of groups with their group's defaults; relative paths in it start at the directory. */
export function typedMembers(config: Typed, directory: string): readonly TypedMember[] {
  const [members, memberGroups] = ["members", "memberGroups"].map((key) => config[`karmada:${key}`]);
  const typed = { members: members ?? [], memberGroups };
  const all = allMembers(typed, kubeconfigDirectories(typed, directory)).members;
  return Array.isArray(all) ? (all as TypedMember[]) : [];
}
