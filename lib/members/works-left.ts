import { setTimeout as sleep } from "node:timers/promises";
import type { RenewableDeadline } from "../wait.ts";

/**
 * Has the works of a cluster that leaves waited for as long as they become fewer, since there may be thousands, and looked
 * at less often where there are many.
 *
 * @returns what is to be told with each look how many are left
 */
export function whileFewer(deadline: RenewableDeadline): (left: number) => Promise<void> {
  let fewest = Infinity;
  return async (left) => {
    if (left < fewest) deadline.renew();
    fewest = Math.min(fewest, left);
    if (left > few) await sleep(1000);
  };
}

/** So many works are listed in no time. More are megabytes, with what was propagated in them: not asked for at that pace. */
const few = 50;
