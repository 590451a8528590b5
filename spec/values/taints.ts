import { z } from "zod";
import { whole } from "../field.ts";
import { labelKey, labelValue } from "./labels.ts";

const taint = z.strictObject({
  key: labelKey.describe("Key of the taint."),
  value: labelValue.optional().describe("Value of the taint."),
  effect: z.enum(["NoSchedule", "NoExecute"]).describe("What it does to workloads that do not tolerate it."),
});

/** Taints of a member: as with nodes, one of each key and effect. */
export const taints = z.array(taint).superRefine((all, issue) => {
  all.forEach(({ key, effect }, i) => {
    const before = all.findIndex((other) => other.key === key && other.effect === effect);
    if (before === i) return;
    const message = `got "${key}" with effect "${effect}", want another key or effect: taints[${before}] has both`;
    issue.addIssue({ code: "custom", path: [i], message });
  });
});

/** A taint of nodes that is tolerated. */
export const toleration = z
  .strictObject({
    key: labelKey.optional().describe("Key of the taint. Default: any, with operator Exists."),
    operator: z.enum(["Equal", "Exists"]).default("Equal").describe("Whether the value has to be equal."),
    value: labelValue.optional().describe("Value of the taint."),
    effect: z
      .enum(["NoSchedule", "PreferNoSchedule", "NoExecute"])
      .optional()
      .describe("Effect of the taint. Default: any."),
    tolerationSeconds: whole(0, 2 ** 31 - 1)
      .optional()
      .describe("How long a pod stays on a node that gets the taint, with effect NoExecute. Default: for ever."),
  })
  .superRefine(({ key, operator, value, effect, tolerationSeconds }, issue) => {
    const found = (field: string, message: string) => issue.addIssue({ code: "custom", path: [field], message });
    if (key === undefined && operator === "Equal")
      found("key", 'missing, want the key of a taint, or operator "Exists", which without a key tolerates every taint');
    if (value !== undefined && value !== "" && operator === "Exists")
      found("value", `got "${value}", want none with operator "Exists", or operator "Equal"`);
    if (tolerationSeconds !== undefined && effect !== "NoExecute")
      found("tolerationSeconds", `got ${tolerationSeconds}, want none, or effect "NoExecute" with it`);
  });
