import { isDeepStrictEqual } from "node:util";
import { look, type MembershipContext } from "./context.ts";
import { describe } from "./describe.ts";
import { execute } from "./execute.ts";
import { nextStep } from "./next.ts";
import { planSentences } from "./plan.ts";
import { refusals } from "./refusals.ts";
import { knownSinceRestore } from "./restored.ts";
import { nameOf, type Situation } from "./situation.ts";
import type { Step } from "./steps.ts";

/**
 * Brings a cluster to what is declared, one step at a time: look, judge, take the first step, look again. It may be
 * interrupted anywhere; the next run continues from what it finds.
 * @param seen is told each situation, so that a caller knows the last one when this throws
 * @returns the plan as it was made at first
 */
export async function reconcile(context: MembershipContext, seen: (situation: Situation) => void): Promise<string[]> {
  let plan: string[] | undefined;
  let last: Step | undefined;
  let { known } = context;
  for (;;) {
    const found = await look({ ...context, known });
    known = knownSinceRestore(found);
    const situation = { ...found, known };
    seen(situation);
    const problems = refusals(situation);
    if (problems.length > 0) throw new Error(problems.map(({ reason }) => reason).join("\n"));
    plan ??= planSentences(situation);
    const step = nextStep(situation);
    if (step === undefined) {
      await settle(context, situation);
      return plan;
    }
    if (isDeepStrictEqual(step, last))
      throw new Error(`${describe(step, situation)}: was done, and nothing has changed`);
    context.say(describe(step, situation));
    await execute(context, situation, step);
    last = step;
  }
}

/** Members that do not serve are left alone: they may still have to find their cluster. */
async function settle({ runtime }: MembershipContext, situation: Situation): Promise<void> {
  const serving = situation.facts.report.members.filter(({ healthy }) => healthy);
  await Promise.all(serving.map((entry) => runtime.settle?.(nameOf(situation, entry))));
}
