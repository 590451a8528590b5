import { stackName } from "./stack-name.ts";

/** The stack of the deployment that another stack does something for. */
export const deploymentReference = stackName("prod").describe(
  "Programs `restore` and `members`: the stack of the deployment that is restored or joined, with its organization and project unless they are those of this one.",
);
