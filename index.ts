import { readDeployment } from "./stacks/config.ts";

// Pulumi takes a stack trace of every promise and resource and maps each through source-map-support, a third of the
// program's time. Node strips types without moving anything, so its own traces are right as they are.
(Error as { prepareStackTrace?: unknown }).prepareStackTrace = undefined;

/** What a stack can be: the values of `karmada:program`. */
const programs = {
  karmada: async () => (await import("./stacks/karmada.ts")).karmadaStack,
};

/** Reads the stack's configuration, runs the program it names, and gives its outputs. */
export default async function main() {
  const deployment = readDeployment();
  const program = await programs[deployment.program]();
  return program(deployment);
}
