import { z } from "zod";
import type { Context } from "./context.ts";
import { type SecretText, secret, words } from "./field.ts";
import { checkKubeconfig, serverOf } from "./kubeconfig.ts";
import type { Problem } from "./problems.ts";

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
] as const;

export type TypedKubeconfig = z.output<(typeof kubeconfigKinds)[number]>;

/** A kubeconfig with its file read. `server` is the API server's URL. */
export type ReadKubeconfig = Extract<TypedKubeconfig, { kind: "kubeconfig" }> & { readonly server: string };

/** Finds what makes a kubeconfig unusable, without a network. @param path of the credentials */
export function checkKubeconfigAt(path: Problem["path"], credentials: TypedKubeconfig, context: Context): Problem[] {
  const at = [...path, credentials.kind === "kubeconfig" ? "kubeconfig" : "path"];
  const file = kubeconfigText(credentials, context);
  if ("error" in file) return [{ path: at, message: file.error }];
  const complaints = checkKubeconfig(file.text, credentials.context, context.now ?? new Date());
  return complaints.map((message) => ({ path: at, message }));
}

/** Replaces the path of a kubeconfig file by its content, and adds the server it leads to. */
export function readKubeconfig(credentials: TypedKubeconfig, context: Context): ReadKubeconfig {
  const file = kubeconfigText(credentials, context);
  if ("error" in file) throw new Error(file.error);
  const { context: name } = credentials;
  return {
    kind: "kubeconfig",
    kubeconfig: file.text as SecretText,
    server: (serverOf(file.text, name) ?? "").replace(/\/+$/, ""),
    ...(name === undefined ? {} : { context: name }),
  };
}

function kubeconfigText(credentials: TypedKubeconfig, context: Context) {
  if (credentials.kind === "kubeconfig") return { text: credentials.kubeconfig };
  return context.files?.[credentials.path] ?? { error: `got "${credentials.path}", which was not read` };
}
