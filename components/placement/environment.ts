import type { Placement } from "../placement.ts";
import type { Process } from "../process.ts";

/** The environment variables of a process, with the references in them resolved by its placement. */
export const environmentOf = (placement: Pick<Placement, "text">, process: Process): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env ?? {}).map(([name, value]) => [name, placement.text(process, value)]));
