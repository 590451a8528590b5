/**
 * An annotation for objects that nothing belongs to: they are gone as soon as they are deleted. Otherwise the garbage collector
 * has to look for what belongs to them first, and it learns of Karmada's kinds only half a minute after they came.
 */
export const nothingBelongs = { "pulumi.com/deletionPropagationPolicy": "background" };
