/**
 * An annotation for objects without dependents: they are gone as soon as they are deleted. Otherwise the garbage
 * collector first has to look for dependents, and it learns of Karmada's kinds only half a minute after they appear.
 */
export const withoutDependents = { "pulumi.com/deletionPropagationPolicy": "background" };
