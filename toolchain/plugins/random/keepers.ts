import type { Attribute, Change } from "../bridge/schema.ts";

/** Arbitrary texts: a change of any makes a new random value. */
export const keepers: Attribute = { kind: "string-map", replace: hasChangedValues };

/** An empty map where there was none is a change, but none of a value. */
function hasChangedValues({ config, prior }: Change): boolean {
  return prior !== undefined || Object.keys(config ?? {}).length > 0;
}
