import { text } from "./field.ts";

/** The stack of the deployment that another stack does something for. */
export const deploymentReference = text(
  /^[\w.-]+(\/[\w.-]+){0,2}$/,
  'the name of a stack such as "prod" or "organization/karmada/prod"',
).describe(
  "Programs `restore` and `members`: the stack of the deployment that is restored or joined, with its organization and project unless they are those of this one.",
);
