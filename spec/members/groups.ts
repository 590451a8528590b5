import { z } from "zod";
import type { Context } from "../context.ts";
import { words } from "../field.ts";
import type { Problem } from "../problems.ts";
import { member } from "./members.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a member, all optional: defaults are not filled in yet. */
const parts = Object.fromEntries(
  Object.entries(member.shape).map(([key, field]) => {
    const inner = field instanceof z.ZodDefault ? (field.removeDefault() as z.ZodType) : (field as z.ZodType);
    return [key, inner.optional().describe(field.description ?? "")];
  }),
);
const { name: _name, credentials: _credentials, ...shared } = parts;

const group = z.strictObject({
  name: words("a name of the group").describe("What the group is called in messages."),
  defaults: z
    .strictObject(shared)
    .default({})
    .describe(
      "Fields of `members`, but for name and credentials, for every member that does not give them itself; labels are put together.",
    ),
  members: z.array(z.strictObject(parts)).default([]).describe("Members, with the fields of `members`."),
  directory: words("the path of a directory")
    .optional()
    .describe(
      "Directory of kubeconfigs; relative to the stack file. Each file is a member by the file's name without `.kubeconfig`, `.conf`, `.yaml` or `.yml`; one of `members` with that name needs no credentials.",
    ),
});

export const memberGroups = z
  .array(group)
  .default([])
  .describe("Further clusters, in groups that have fields in common.");

/** Every member of a stack file, those of groups behind the others. */
export interface AllMembers {
  /** As typed, defaults of the groups filled in; not checked. */
  readonly members: unknown;
  /** Where the operator typed what is wrong with a member. */
  place(problem: Problem): Problem;
}

/** Appends the members of groups to the others, as far as what was typed makes sense. */
export function allMembers(typed: Fields, directories: Context["directories"] = {}): AllMembers {
  const { members: own = [] } = typed;
  if (!Array.isArray(own)) return { members: own, place: (problem) => problem };
  const grouped = listOf(typed["memberGroups"]).flatMap((group, g) => membersOf(fieldsOf(group), g, directories));
  return {
    members: [...(own as unknown[]), ...grouped.map(({ fields }) => fields)],
    place(problem) {
      const [section, i, ...rest] = problem.path;
      const from = section === "members" && typeof i === "number" ? grouped[i - own.length] : undefined;
      return from === undefined ? problem : from.place(rest, problem.message);
    },
  };
}

/** Finds directories that cannot be read or are empty. */
export function checkDirectories(
  groups: z.output<typeof memberGroups>,
  directories: Context["directories"] = {},
): Problem[] {
  return groups.flatMap(({ directory }, g) => {
    const found = directory === undefined ? undefined : directories[directory];
    if (found === undefined) return [];
    const path = ["memberGroups", g, "directory"];
    if ("error" in found) return [{ path, message: found.error }];
    return found.files.length > 0 ? [] : [{ path, message: `got "${directory}", which has no file, want kubeconfigs` }];
  });
}

interface Grouped {
  readonly fields: Fields;
  place(path: Problem["path"], message: string): Problem;
}

function membersOf(group: Fields, g: number, directories: NonNullable<Context["directories"]>): Grouped[] {
  const defaults = fieldsOf(group["defaults"]);
  const { directory } = group;
  const found = typeof directory === "string" ? directories[directory] : undefined;
  const files = (found && "files" in found ? found.files : []).map((file) => ({ name: memberName(file), file }));
  const credentialsIn = (file: string) => ({ kind: "kubeconfigFile", path: `${String(directory)}/${file}` });
  const credentialsOf = (name: unknown) => {
    const file = files.find((each) => each.name === name)?.file;
    return file === undefined ? {} : { credentials: credentialsIn(file) };
  };
  const at = ["memberGroups", g];
  const listed = listOf(group["members"]).map((entry, i): Grouped => {
    const own = fieldsOf(entry);
    const fields = { ...credentialsOf(own["name"]), ...own };
    return {
      fields: merged(defaults, fields),
      place: ([key, ...rest], message) => {
        const inDefaults = typeof key === "string" && !(key in fields) && key in defaults;
        const path = inDefaults ? [...at, "defaults"] : [...at, "members", i];
        return { path: [...path, ...(key === undefined ? [] : [key]), ...rest], message };
      },
    };
  });
  const named = new Set(listed.map(({ fields }) => fields["name"]));
  // Of several files of a name each is a member, and the second one is refused.
  const unlisted = files.filter(({ name }, i) => !named.has(name) || files.findIndex((each) => each.name === name) < i);
  return [
    ...listed,
    ...unlisted.map(({ name, file }): Grouped => ({
      fields: merged(defaults, { credentials: credentialsIn(file), name }),
      place: ([key, ...rest], message) =>
        typeof key === "string" && key in defaults
          ? { path: [...at, "defaults", key, ...rest], message }
          : { path: [...at, "directory"], message: `${file}: ${message}` },
    })),
  ];
}

const memberName = (file: string): string => file.replace(/\.(kubeconfig|conf|ya?ml)$/, "");

function merged(defaults: Fields, fields: Fields): Fields {
  const labels = { ...fieldsOf(defaults["labels"]), ...fieldsOf(fields["labels"]) };
  return { ...defaults, ...fields, ...(Object.keys(labels).length > 0 && { labels }) };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
