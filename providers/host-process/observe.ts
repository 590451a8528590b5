import { observeProcess } from "../../lib/hosts/found-on-host.ts";
import type { FoundProcess } from "../../lib/hosts/found.ts";
import { hostAt } from "../../lib/hosts/hosts.ts";
import { userOf } from "../../lib/hosts/layout.ts";
import { whereReachable } from "../hosts/out-of-reach.ts";
import type { Declared } from "./declared.ts";

/** Looks at a process on its host without changing anything. */
export const observe = ({ host, name, component }: Declared): Promise<FoundProcess> =>
  observeProcess(hostAt(host), name, userOf(component));

/**
 * What a refresh finds of a process; undefined if nothing of it is there.
 *
 * @param driftOf a sentence for each difference from what was declared
 */
export function readProcess<Inputs extends Declared>(
  state: Inputs,
  driftOf: (state: Inputs, found: FoundProcess) => string[],
) {
  return whereReachable(state.host, async () => {
    const found = await observe(state);
    if (found.unit === undefined && Object.keys(found.files).length === 0) return undefined;
    return { state: {}, drift: driftOf(state, found) };
  });
}
