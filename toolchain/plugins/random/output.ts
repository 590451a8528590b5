import type { Attribute } from "../bridge/schema.ts";

/** A text made once, with the resource. */
export const output: Attribute = { kind: "string", output: true, keep: true };
