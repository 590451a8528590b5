import { messageOf } from "../../../wait.ts";
import { lookAtCluster, type MembershipContext } from "../context.ts";
import { replaceIt } from "../replace-it.ts";
import { nameOf } from "../situation.ts";

/**
 * Adds to the error of members that do not come up on the data they have what to do if these are damaged. Whether they
 * are only their log tells, in words that differ with what is damaged, so that this is left to who reads it.
 */
export async function orToldToReplace(
  context: MembershipContext,
  names: readonly string[],
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const told = await advice(context, names);
    if (told.length === 0) throw error;
    throw new Error([messageOf(error), ...told].join("\n"), { cause: error });
  }
}

async function advice(context: MembershipContext, names: readonly string[]): Promise<string[]> {
  const situation = names.length > 0 ? await lookAtCluster(context).catch(() => undefined) : undefined;
  if (situation === undefined) return [];
  const { conditions, members } = situation.facts.report;
  if (!conditions.quorum) {
    return ['if their logs say that data are damaged: docs/recovery.md, "All members are lost, or their data are bad"'];
  }
  const unwell = members.filter((entry) => !entry.healthy).map((entry) => nameOf(situation, entry));
  return unwell
    .filter((name) => names.includes(name))
    .map((name) => `${name}: if its log says that its data are damaged, ${replaceIt(context, name)}`);
}
