import { stackFileName } from "../../toolchain/pulumi/stack-name.ts";
import { startCommand } from "../stack/start-command.ts";

/** Says that a stack has no output for monitoring, and what to do. */
export const noMonitoring = (stack: string): string =>
  `stack ${stack}: it has no output "monitoring"; write karmada:monitoring: {enabled: true} into ${stackFileName(stack)}, then ${startCommand(stack)}`;
