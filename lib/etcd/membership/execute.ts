import type { MembershipContext } from "./context.ts";
import { disarmStray } from "./execute/alarm.ts";
import { restart, readdress } from "./execute/restart.ts";
import { add, join, promote } from "./execute/learner.ts";
import { allowDowngrade, cancelDowngrade } from "./execute/downgrade.ts";
import { defragment, reclaim } from "./execute/space.ts";
import { remove, retire } from "./execute/remove.ts";
import { bootstrap, start, wait } from "./execute/start.ts";
import type { Situation } from "./situation.ts";
import type { Step } from "./steps.ts";

/** Does one step and returns when it has taken effect; the situation is the one it was chosen in. */
export function execute(context: MembershipContext, situation: Situation, step: Step): Promise<void> {
  switch (step.kind) {
    case "bootstrap":
      return bootstrap(context, situation, step.members);
    case "start":
      return start(context, situation, step.members);
    case "wait":
      return wait(context, step.member);
    case "add":
      return add(context, situation, step.member);
    case "join":
      return join(context, situation, step.member);
    case "promote":
      return promote(context, situation, step.member);
    case "remove":
      return remove(context, situation, step);
    case "retire":
      return retire(context, situation, step.member);
    case "restart":
      return restart(context, situation, step.member);
    case "readdress":
      return readdress(context, situation, step.member);
    case "allow-downgrade":
      return allowDowngrade(context, situation, step.minor);
    case "cancel-downgrade":
      return cancelDowngrade(context);
    case "disarm":
      return disarmStray(context, situation, step);
    case "reclaim":
      return reclaim(context, situation);
    case "defragment":
      return defragment(context, situation, step.member);
  }
}
