/**
 * The last part of a stack's name, which may come after its organization and project (`organization/karmada/dev`): the program
 * and the names of files know no other.
 */
export const simpleName = (stack: string): string => stack.slice(stack.lastIndexOf("/") + 1);

/** The name of a stack's file, as pulumi has it. */
export const stackFileName = (stack: string): string => `Pulumi.${simpleName(stack)}.yaml`;

/** Whether two names can be those of one stack: an organization or project that one leaves out is that of the other. */
export function isSameStack(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  return (
    a.stack === b.stack &&
    (a.organization ?? b.organization) === (b.organization ?? a.organization) &&
    (a.project ?? b.project) === (b.project ?? a.project)
  );
}

function partsOf(name: string) {
  const parts = name.split("/");
  return { organization: parts.at(-3) ?? parts.at(-2), project: parts.at(-3) && parts.at(-2), stack: simpleName(name) };
}
