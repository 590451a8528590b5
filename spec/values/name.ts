import { text } from "../field.ts";

/** The longest name of a deployment or member: names derived from it must fit into 63 characters (a DNS label). */
const longestName = 48;

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** The name of a deployment or member: a DNS-1123 label, because namespaces and services are named after it. */
export const name = text(
  label,
  `a DNS-1123 name of at most ${longestName} characters: lower-case letters, digits and "-", not first or last`,
).max(longestName);

/** What a key is called. @param example one that it may have */
export const keyName = (example: string) => text(label, `the name of a key, such as "${example}"`);

/** What a stack calls what it brings up. */
export const ownName = name
  .optional()
  .describe(
    "Name of the deployment; with program `members` that of this stack of members, by which the control plane knows whose its members are. Default: the name of the stack.",
  );
