import { TargetError } from "../snapshots/target.ts";
import { messageOf } from "../wait.ts";
import type { JournaledTarget } from "./journaled-target.ts";

/**
 * Does work that needs room in a target. If there is none, what it has stored so far is removed, and what need not be
 * kept; it is done once more if that was anything.
 *
 * @param pruned removes what need not be kept, and gives how much that was
 */
export async function withRoom<T>(
  target: JournaledTarget,
  work: () => Promise<T>,
  pruned: () => Promise<number>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TargetError) || error.fault !== "full") throw error;
    if ((await removed(error, target, pruned)) === 0) throw error;
    return work();
  }
}

async function removed(full: TargetError, target: JournaledTarget, pruned: () => Promise<number>): Promise<number> {
  try {
    await target.cleanUp();
    return await pruned();
  } catch (error) {
    throw new TargetError("full", `${full.message}; removing what need not be kept: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
