import type { Properties } from "../server/index.ts";

/** What the run before wrote, as environment variables for the next one, unless the user does not want them. */
export function previousOutput(inputs: Properties, previous: Properties): Record<string, string> {
  if (inputs["addPreviousOutputInEnv"] === false) return {};
  const { stdout, stderr } = previous;
  return {
    ...(typeof stdout === "string" && stdout !== "" && { PULUMI_COMMAND_STDOUT: stdout }),
    ...(typeof stderr === "string" && stderr !== "" && { PULUMI_COMMAND_STDERR: stderr }),
  };
}
