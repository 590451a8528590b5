import { join } from "node:path";
import { z } from "zod";
import type { Context } from "./context.ts";
import { text, whole, words } from "./field.ts";
import { absolutePath } from "./path.ts";
import { portsPerDeployment } from "./ports.ts";

const local = z.strictObject({
  kind: z.literal("local").describe("Every program is a process of this user on this machine."),
  directory: words("a directory")
    .optional()
    .describe(
      "Where data, certificates and logs are kept; relative to the stack file. It cannot be changed while the deployment exists. Default: `karmada-pulumi/<project>-<stack>` in the state home of the user (`$XDG_STATE_HOME`, `~/.local/state`).",
    ),
  basePort: whole(1024, 65536 - portsPerDeployment)
    .default(24000)
    .describe(
      `First of the ${portsPerDeployment} port numbers this deployment may use. Two stacks on one machine need ranges of their own.`,
    ),
  address: text(/^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, 'a loopback address such as "127.0.0.1"')
    .default("127.0.0.1")
    .describe("Address every program listens on."),
});

export const placement = z
  .discriminatedUnion("kind", [local])
  .prefault({ kind: "local" })
  .describe("Where the control plane runs.");

/** The state directory of a deployment as an absolute path. */
export function resolveDirectory(typed: string | undefined, context: Context): string {
  if (typed === undefined)
    return context.stateHome === undefined
      ? join(context.directory, ".karmada", context.stack)
      : join(context.stateHome, "karmada-pulumi", `karmada-${context.stack}`);
  return absolutePath(typed, context);
}
