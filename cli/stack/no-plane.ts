import { startCommand } from "./start-command.ts";

/** Says why a stack has no control plane to ask, and what to do. @param program what its stack file names */
export function noPlane(stack: string, program: string): string {
  if (program === "etcd") return `stack ${stack}: it has no etcd yet; ${startCommand(stack)} goes on`;
  return ["karmada", "members"].includes(program)
    ? `stack ${stack}: it has no control plane yet; ${startCommand(stack)} goes on`
    : `stack ${stack}: it runs the program ${program}, which has no control plane to ask; npm run pulumi -- stack output --stack ${stack} says what it has`;
}
