import { readDeployment } from "./stacks/config.ts";

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
