import { z } from "zod";
import { closest } from "./closest.ts";
import type { Context } from "./context.ts";
import { type SecretText, secret, words } from "./field.ts";
import { checkKubeconfig, serverOf } from "./kubeconfig.ts";
import type { Problem } from "./problems.ts";
import { stackName } from "./stack-name.ts";

const context = words("the name of a context").optional().describe("Context to use. Default: the current one.");

/** The ways to give a kubeconfig. */
export const kubeconfigKinds = [
  z.strictObject({
    kind: z.literal("kubeconfig").describe("A kubeconfig kept as a secret in the stack file."),
    kubeconfig: secret("a kubeconfig as text").describe("The kubeconfig: `pulumi config set --secret --path ...`."),
    context,
  }),
  z.strictObject({
    kind: z.literal("kubeconfigFile").describe("A kubeconfig file on this machine."),
    path: words("the path of a file").describe("Its path; relative to the stack file."),
    context,
  }),
  z.strictObject({
    kind: z
      .literal("stack")
      .describe("A kubeconfig that another Pulumi stack gives out, such as the one that has made the cluster."),
    stack: stackName("paris", "eks").describe(
      "Name of that stack, with its organization and project unless they are those of this one; in the same backend.",
    ),
    output: words("the name of an output").describe(
      "Name of its output: the kubeconfig as text (YAML or JSON) or as an object, secret or not. It is always a secret here.",
    ),
    context,
  }),
] as const;

export type TypedKubeconfig = z.output<(typeof kubeconfigKinds)[number]>;

/** A kubeconfig with its file or output read. `server` is the API server's URL. */
export type ReadKubeconfig = Extract<TypedKubeconfig, { kind: "kubeconfig" }> & { readonly server: string };

/** Finds what makes a kubeconfig unusable, without a network. @param path of the credentials */
export function checkKubeconfigAt(path: Problem["path"], credentials: TypedKubeconfig, context: Context): Problem[] {
  const found = textOf(credentials, context);
  const at = [...path, found.field];
  if ("error" in found) return [{ path: at, message: found.error }];
  const complaints = checkKubeconfig(found.text, credentials.context, context.now ?? new Date());
  return complaints.map((message) => ({ path: at, message }));
}

/** Replaces the path of a kubeconfig file, or the output of a stack, by its content, and adds the server it leads to. */
export function readKubeconfig(credentials: TypedKubeconfig, context: Context): ReadKubeconfig {
  const found = textOf(credentials, context);
  if ("error" in found) throw new Error(found.error);
  const { context: name } = credentials;
  return {
    kind: "kubeconfig",
    kubeconfig: found.text as SecretText,
    server: (serverOf(found.text, name) ?? "").replace(/\/+$/, ""),
    ...(name === undefined ? {} : { context: name }),
  };
}

/** A kubeconfig, or why there is none; `field` of the credentials is what it hangs on. */
type Found = { readonly field: string } & ({ readonly text: string } | { readonly error: string });

function textOf(credentials: TypedKubeconfig, { files, stacks }: Context): Found {
  switch (credentials.kind) {
    case "kubeconfig":
      return { field: "kubeconfig", text: credentials.kubeconfig };
    case "kubeconfigFile":
      return { field: "path", ...(files?.[credentials.path] ?? unread(credentials.path)) };
    case "stack":
      return outputOf(credentials, stacks?.[credentials.stack] ?? unread(credentials.stack));
  }
}

const unread = (what: string) => ({ error: `got "${what}", which was not read` });

function outputOf(
  { stack, output }: Extract<TypedKubeconfig, { kind: "stack" }>,
  read: NonNullable<Context["stacks"]>[string],
): Found {
  if ("error" in read) return { field: "stack", error: read.error };
  const names = Object.keys(read.outputs).sort();
  if (names.includes(output)) return { field: "output", text: read.outputs[output]! };
  const meant = closest(output, names);
  const there = `${meant === undefined ? "it" : `did you mean "${meant}"? It`} has ${names.join(", ")}`;
  const problem = names.length > 0 ? `no such output: ${there}` : "no outputs: bring it up first";
  return { field: "output", error: `got "${output}", but the stack ${stack} has ${problem}` };
}
