import { stackFileName } from "../../toolchain/pulumi/stack-name.ts";
import { startCommand } from "../stack/start-command.ts";

/** Says that a stack has no output for monitoring, and what to do. @param program what its stack file names */
export const noMonitoring = (stack: string, program: string): string =>
  program !== "karmada"
    ? `stack ${stack}: it runs the program ${program}, for which nothing is written`
    : `stack ${stack}: it has no output "monitoring"; write karmada:monitoring: {enabled: true} into ${stackFileName(stack)}, then ${startCommand(stack)}`;
