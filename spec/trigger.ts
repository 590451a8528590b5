import { z } from "zod";
import { fieldNotes, words } from "./field.ts";

/** What is new here asks for something to be done once; numbers may be raised, dates written. */
export const trigger = z
  .union([words('a word such as "2026-11"'), z.number()])
  .register(fieldNotes, { want: 'a text or a number such as 1 or "2026-11"' })
  .transform(String);
