import { at } from "../object.ts";
import { conditionsOf, numberAt } from "./rule.ts";
import type { Rule } from "./rule.ts";

/**
 * For every kind, when PULUMI_K8S_AWAIT_ALL is set: what the conventions of status say.
 * https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
 */
export const anyRule: Rule = {
  judge({ object }) {
    const wait = (message: string) => ({ ready: false, status: [["info", message] as const] });
    const observed = at(object, "status", "observedGeneration");
    const generation = numberAt(object, "metadata", "generation");
    if (typeof observed === "number" && observed !== generation) {
      return wait(`generation is ${generation}, but latest observed generation is ${observed}`);
    }
    for (const { type, status, message = "Waiting for readiness" } of conditionsOf(object)) {
      if (["Reconciling", "Stalled"].includes(type) && status === "True") return wait(message);
      if (type === "Ready" && status !== "True") return wait(message);
    }
    return { ready: true };
  },
};
