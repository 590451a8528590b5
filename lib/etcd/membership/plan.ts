import { isDeepStrictEqual } from "node:util";
import { describe } from "./describe.ts";
import { nextStep } from "./next.ts";
import { predict } from "./predict.ts";
import type { Situation } from "./situation.ts";
import type { Step } from "./steps.ts";
import { summarise } from "./summary.ts";

/** A step with the situation before it. */
export interface Planned {
  readonly step: Step;
  readonly before: Situation;
}

/** Every step from here to the declared cluster, if each goes well. */
export function planSteps(situation: Situation): Planned[] {
  const planned: Planned[] = [];
  let before = situation;
  for (let step = nextStep(before); step !== undefined; step = nextStep(before)) {
    const last = planned.at(-1)?.step;
    // Nobody answers, or a route is still to come: the steps after the wait can only be known then.
    if (step.kind === "wait" && isDeepStrictEqual(step, last)) return planned;
    if (isDeepStrictEqual(step, last) || planned.length > limit) {
      throw new Error(`the plan has no end: it comes to ${JSON.stringify(step)} again`);
    }
    planned.push({ step, before });
    before = { ...before, facts: predict(before, step) };
  }
  return planned;
}

/**
 * The plan in sentences, beginning with the present state of the cluster. What adding a member announced is not
 * repeated.
 */
export function planSentences(situation: Situation): string[] {
  const planned = planSteps(situation);
  const announced = (member: string, until: number) =>
    planned.slice(0, until).some(({ step }) => (step.kind === "add" || step.kind === "join") && step.member === member);
  const said = planned.filter(
    ({ step }, i) => !((step.kind === "join" || step.kind === "promote") && announced(step.member, i)),
  );
  return [summarise(situation), ...said.map(({ step, before }) => describe(step, before))];
}

/** No plan is longer: seven members added, seven removed, each restarted and defragmented. */
const limit = 200;
