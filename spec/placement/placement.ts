import { join } from "node:path";
import { z } from "zod";
import type { Context } from "../context.ts";
import { text, whole } from "../field.ts";
import { hooksHere } from "../hooks.ts";
import { loopback } from "../values/address.ts";
import { absolutePath } from "../values/path.ts";
import { hosts, resolveHosts } from "./hosts.ts";
import { kubernetes, resolveKubernetes } from "./kubernetes.ts";
import { portsPerDeployment } from "./ports.ts";

export const local = z.strictObject({
  kind: z.literal("local").describe("Every program is a process of this user on this machine."),
  directory: text(/^[^"\n\r]+$/, "a directory without quotation marks or line breaks in its path")
    .optional()
    .describe(
      "Where data, certificates and logs are kept; relative to the stack file. It cannot be changed while the deployment exists. Default: `karmada-pulumi/<project>-<stack>` in the state home of the user (`$XDG_STATE_HOME`, `~/.local/state`).",
    ),
  basePort: whole(1024, 65536 - portsPerDeployment)
    .default(24000)
    .describe(
      `First of the ${portsPerDeployment} port numbers this deployment may use. Two stacks on one machine need ranges of their own.`,
    ),
  address: loopback.default("127.0.0.1").describe("Address every program listens on."),
  hooks: hooksHere,
});

export const placement = z
  .discriminatedUnion("kind", [local, hosts, kubernetes])
  .prefault({ kind: "local" })
  .describe("Where the control plane runs.");

export type TypedPlacement = z.output<typeof placement>;

/** Everything filled in: paths, logins, which host has what. */
export function resolvePlacement(typed: TypedPlacement, context: Context) {
  switch (typed.kind) {
    case "local":
      return { ...typed, directory: resolveDirectory(typed.directory, context) };
    case "hosts":
      return resolveHosts(typed);
    case "kubernetes":
      return resolveKubernetes(typed, context);
  }
}

/** Where a local deployment keeps its data; undefined when it keeps none on this machine. */
export const directoryOf = (typed: TypedPlacement, context: Context): string | undefined =>
  typed.kind === "local" ? resolveDirectory(typed.directory, context) : undefined;

/** As an absolute path. */
function resolveDirectory(typed: string | undefined, context: Context): string {
  if (typed === undefined)
    return context.stateHome === undefined
      ? join(context.directory, ".karmada", context.stack)
      : join(context.stateHome, "karmada-pulumi", `karmada-${context.stack}`);
  return absolutePath(typed, context);
}
