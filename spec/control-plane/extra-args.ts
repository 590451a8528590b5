import { z } from "zod";
import { fieldNotes, text } from "../field.ts";

const flag = text(/^[a-z][-a-z0-9]*$/, 'a flag without its leading dashes, such as "max-requests-inflight"');
const value = z
  .union([z.string(), z.number(), z.boolean()])
  .register(fieldNotes, { want: "text, a number, true or false" })
  .transform(String);

/** Command-line flags appended to those the program sets itself. */
export const extraArgs = z
  .record(flag, value)
  .default({})
  .describe(
    "Further command-line flags by name, without the leading dashes. Changing one restarts this component only.",
  );

const fileOfFlag = z
  .strictObject({ file: z.string().min(1).describe("Name of one of `files`, whose path the flag gets.") })
  .register(fieldNotes, { want: "the name of a file" });

/** Command-line flags appended to those the program sets itself, for a program that can be given files. */
export const extraArgsWithFiles = z
  .record(flag, z.union([value, fileOfFlag]).register(fieldNotes, { want: "text, a number, true, false or a file" }))
  .default({})
  .describe(
    "Further command-line flags by name, without the leading dashes; `{ file: NAME }` is the path of one of `files`. Changing one restarts this component only.",
  );
