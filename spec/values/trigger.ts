import { z } from "zod";
import { fieldNotes, words } from "../field.ts";

/** A new value asks for something to be done once; a number to raise, or a date. */
export const trigger = z
  .union([words('a word such as "2026-11"'), z.number()])
  .register(fieldNotes, { want: 'a text or a number such as 1 or "2026-11"' })
  .transform(String);
