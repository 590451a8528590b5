import { isDeepStrictEqual } from "node:util";
import { describe } from "./describe.ts";
import { nextStep } from "./next.ts";
import { predict } from "./predict.ts";
import type { Situation } from "./situation.ts";
import type { Step } from "./steps.ts";
import { summarise } from "./summary.ts";

/** A step with what is known before it. */
export interface Planned {
  readonly step: Step;
  readonly before: Situation;
}

/** Every step from here to what is declared, if each goes well. */
export function planSteps(situation: Situation): Planned[] {
  const planned: Planned[] = [];
  let before = situation;
  for (let step = nextStep(before); step !== undefined; step = nextStep(before)) {
    const last = planned.at(-1)?.step;
    // Nobody answers, or a route is still to come: what is to be done after the waiting is seen then.
    if (step.kind === "wait" && isDeepStrictEqual(step, last)) return planned;
    if (isDeepStrictEqual(step, last) || planned.length > limit) {
      throw new Error(`the plan has no end: it comes to ${JSON.stringify(step)} again`);
    }
    planned.push({ step, before });
    before = { ...before, facts: predict(before, step) };
  }
  return planned;
}

/** The plan in sentences, how the cluster is now before all. What adding a member announced is not said again. */
export function planSentences(situation: Situation): string[] {
  const planned = planSteps(situation);
  const announced = (member: string, until: number) =>
    planned.slice(0, until).some(({ step }) => (step.kind === "add" || step.kind === "join") && step.member === member);
  const said = planned.filter(
    ({ step }, i) => !((step.kind === "join" || step.kind === "promote") && announced(step.member, i)),
  );
  return [summarise(situation), ...said.map(({ step, before }) => describe(step, before))];
}

/** No way is longer: seven members in, seven out, each restarted and defragmented. */
const limit = 200;
