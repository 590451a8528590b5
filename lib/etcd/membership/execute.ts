import type { Tools } from "./context.ts";
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
export function execute(tools: Tools, situation: Situation, step: Step): Promise<void> {
  switch (step.kind) {
    case "bootstrap":
      return bootstrap(tools, situation, step.members);
    case "start":
      return start(tools, situation, step.members);
    case "wait":
      return wait(tools, step.member);
    case "add":
      return add(tools, situation, step.member);
    case "join":
      return join(tools, situation, step.member);
    case "promote":
      return promote(tools, situation, step.member);
    case "remove":
      return remove(tools, situation, step);
    case "retire":
      return retire(tools, situation, step.member);
    case "restart":
      return restart(tools, situation, step.member);
    case "readdress":
      return readdress(tools, situation, step.member);
    case "allow-downgrade":
      return allowDowngrade(tools, situation, step.minor);
    case "cancel-downgrade":
      return cancelDowngrade(tools);
    case "disarm":
      return disarmStray(tools, situation, step);
    case "reclaim":
      return reclaim(tools, situation);
    case "defragment":
      return defragment(tools, situation, step.member);
  }
}
