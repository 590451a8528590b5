import { z } from "zod";
import { text, words } from "../field.ts";

const parameter = z.strictObject({
  name: text(/^[A-Za-z][-\w]*$/, 'a name of letters, digits, "-" and "_"').describe(
    "Its name; `$(name)` stands for its value in the body.",
  ),
  type: z
    .enum(["string", "number", "boolean", "list"])
    .default("string")
    .describe("What a value is; a list is of texts."),
  description: words("a sentence").optional().describe("What it is for, told to who gives no value or a wrong one."),
  default: z.unknown().optional().describe("Value where none is given. Default: one has to be given."),
  allowed: z.array(z.unknown()).min(1).optional().describe("The values there are; of a list, what may be in it."),
});

/** A parameter: what a gap accepts. */
export type Parameter = z.output<typeof parameter>;

/** A policy with gaps. */
export const policyTemplate = z.strictObject({
  name: words("a name of the template").describe("What policies call it."),
  parameters: z.array(parameter).default([]).describe("What a policy says itself."),
  body: z
    .record(z.string(), z.unknown())
    .describe(
      "A policy with the fields of `policies`. `$(name)` alone is the value of that parameter, within a text its text; `$$(name)` is left as `$(name)`.",
    ),
});

export type Template = z.output<typeof policyTemplate>;
