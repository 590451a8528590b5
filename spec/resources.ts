import { z } from "zod";
import type { Resolved } from "./field.ts";
import { cores, size } from "./units.ts";

/** What a program may use at most. */
export const resources = z
  .strictObject({
    memory: size
      .optional()
      .describe(
        "Most memory it may use. On one machine nothing enforces it: its garbage collector works towards it (`GOMEMLIMIT`).",
      ),
    cpu: cores
      .optional()
      .describe(
        "Most cores it may use. On one machine nothing enforces it: as many of its threads are at work at once (`GOMAXPROCS`), in whole cores.",
      ),
  })
  .prefault({})
  .describe("Limits; none when left out.");

export type Resources = Resolved<z.output<typeof resources>, never>;
