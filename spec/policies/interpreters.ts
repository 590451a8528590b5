import { z } from "zod";
import type { Context } from "../context.ts";
import { words } from "../field.ts";
import type { Problem } from "../problems.ts";
import { objectName } from "./placement-policy.ts";

/**
 * What can be customized for a kind of resources: the Lua function, by upstream's name for the rule
 * (`pkg/apis/config/v1alpha1` of Karmada).
 */
const functions = {
  retention: ["Retain", "What members change of it, and Karmada leaves alone there"],
  replicaResource: ["GetReplicas", "How many replicas it has, and what each of them needs"],
  componentResource: ["GetComponents", "The same of several components (gate MultiplePodTemplatesScheduling)"],
  replicaRevision: ["ReviseReplica", "How it is given another number of replicas"],
  statusReflection: ["ReflectStatus", "What of its status is taken from members"],
  statusAggregation: ["AggregateStatus", "How its statuses in members become one"],
  healthInterpretation: ["InterpretHealth", "Whether it is healthy"],
  dependencyInterpretation: ["GetDependencies", "What else has to go where it goes"],
} as const;

type Rule = keyof typeof functions;

const rules = Object.keys(functions) as Rule[];

const script = (rule: Rule) =>
  z
    .strictObject({
      luaScript: words("a script as text").optional().describe("The script."),
      luaFile: words("the path of a file")
        .optional()
        .describe("A file with the script, in its place; relative to the stack file."),
    })
    .optional()
    .describe(`${functions[rule][1]}: a script in Lua with the function \`${functions[rule][0]}\`.`);

const customizations = Object.fromEntries(rules.map((rule) => [rule, script(rule)])) as Record<
  Rule,
  ReturnType<typeof script>
>;

/** Scripts that teach Karmada a kind (https://karmada.io/docs/userguide/globalview/customizing-resource-interpreter). */
export const interpreterCustomization = z.strictObject({
  kind: z
    .literal("ResourceInterpreterCustomization")
    .describe("Teaches Karmada a kind of resources by scripts, before what it knows of it by itself."),
  name: objectName.describe("Name of the object."),
  target: z
    .strictObject({
      apiVersion: words('a group and version such as "apps.kruise.io/v1alpha1"').describe(
        "Group and version, for instance `apps.kruise.io/v1alpha1`.",
      ),
      kind: words('a kind such as "CloneSet"').describe("Kind, for instance `CloneSet`."),
    })
    .describe("Which kind."),
  customizations: z.strictObject(customizations).describe("What is said of it; what is not, Karmada knows by itself."),
});

type Customization = z.output<typeof interpreterCustomization>;
type Path = Problem["path"];

/**
 * Finds scripts that are missing or lack their function, and what Karmada's webhook would refuse, except errors in Lua
 * itself.
 */
export function checkCustomization({ customizations }: Customization, at: Path, context: Context): Problem[] {
  const said = rules.filter((rule) => customizations[rule] !== undefined);
  if (said.length === 0) return [{ path: [...at, "customizations"], message: `got none, want ${rules.join(", ")}` }];
  return said.flatMap((rule) => {
    const path = [...at, "customizations", rule];
    const { luaScript, luaFile } = customizations[rule]!;
    if ((luaScript === undefined) === (luaFile === undefined)) {
      const found = luaScript === undefined ? "none of them" : "both";
      return [{ path, message: `got ${found}, want one of luaScript and luaFile` }];
    }
    const read = scriptOf(customizations[rule]!, context);
    const field = [...path, luaFile === undefined ? "luaScript" : "luaFile"];
    if ("error" in read) return [{ path: field, message: read.error }];
    const [name] = functions[rule];
    if (new RegExp(`\\b${name}\\b`).test(read.text)) return [];
    return [{ path: field, message: `got a script without ${name}, want one that defines the function ${name}` }];
  });
}

/** Finds customizations of the same rule for the same kind, which Karmada refuses for all rules except dependencies. */
export function checkOverlaps(all: readonly { readonly path: Path; readonly policy: Customization }[]): Problem[] {
  const first = new Map<string, string>();
  return all.flatMap(({ path, policy: { name, target, customizations } }) =>
    rules
      .filter((rule) => rule !== "dependencyInterpretation" && customizations[rule] !== undefined)
      .flatMap((rule) => {
        const key = [target.apiVersion, target.kind, rule].join(" ");
        const before = first.get(key);
        first.set(key, before ?? name);
        if (before === undefined) return [];
        const message = `says of ${target.apiVersion} ${target.kind} what "${before}" says, want it in one of them`;
        return [{ path: [...path, "customizations", rule], message }];
      }),
  );
}

/** The object's content: the scripts themselves. */
export function customizationSpec({ target, customizations }: Customization, context: Context) {
  const said = rules.flatMap((rule) => {
    const read = customizations[rule] && scriptOf(customizations[rule], context);
    return read !== undefined && "text" in read ? [[rule, { luaScript: read.text }]] : [];
  });
  return { target, customizations: Object.fromEntries(said) as Readonly<Record<string, unknown>> };
}

const scriptOf = ({ luaScript, luaFile }: NonNullable<Customization["customizations"][Rule]>, context: Context) =>
  luaFile === undefined ? { text: luaScript ?? "" } : readFile(luaFile, context);

/** The text of a file that a stack file names. */
export const readFile = (path: string, { files = {} }: Context) =>
  files[path] ?? { error: `got "${path}", which was not read` };
