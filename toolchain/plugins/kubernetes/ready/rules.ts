/** Which rule an object is judged by. */
import { annotation, WAIT_FOR } from "../annotations.ts";
import { apiVersionOf, kindOf } from "../object.ts";
import type { KubeObject } from "../object.ts";
import { anyRule } from "./any.ts";
import { daemonSetRule } from "./daemon-set.ts";
import { deploymentRule } from "./deployment.ts";
import { heldBack } from "./held-back.ts";
import { ingressRule } from "./ingress.ts";
import { jobRule } from "./job.ts";
import { podRule } from "./pod.ts";
import type { Rule, Status } from "./rule.ts";
import { serviceRule } from "./service.ts";
import * as simple from "./simple.ts";
import { statefulSetRule } from "./stateful-set.ts";
import { waitForRule } from "./wait-for.ts";

/** The user's own conditions, else those of the kind; `undefined` for what is ready as soon as it is there. */
export function ruleOf(object: KubeObject): Rule | undefined {
  const own = annotation(object, WAIT_FOR);
  const ofKind = ruleOfKind(object);
  if (own) return ofKind === undefined ? waitForRule(own) : explained(waitForRule(own), ofKind);
  return ofKind ?? (process.env["PULUMI_K8S_AWAIT_ALL"] === "true" ? anyRule : undefined);
}

/**
 * One rule, with what another one finds missing, and what holds pods back, while it waits and for the error: the official plugin
 * says nothing of a Deployment's pods then.
 */
const explained = (rule: Rule, other: Rule): Rule => ({
  ...rule,
  ...(other.related && { related: other.related }),
  judge(view) {
    const verdict = rule.judge(view);
    if (verdict.ready) return verdict;
    const theirs = other.judge(view).problems ?? [];
    const held = heldBack(view);
    const shown = [...theirs.filter((each) => each.startsWith("[Pod ")), ...held];
    return {
      ...verdict,
      status: [...(verdict.status ?? []), ...shown.map((each): Status => ["warning", each])],
      problems: [...(verdict.problems ?? []), ...theirs, ...held],
    };
  },
});

export function ruleOfKind(object: KubeObject): Rule | undefined {
  return table[`${apiVersionOf(object)}/${kindOf(object)}`];
}

const table: Readonly<Record<string, Rule>> = {
  "apps/v1/DaemonSet": daemonSetRule,
  "apps/v1/Deployment": deploymentRule,
  "apps/v1/StatefulSet": statefulSetRule,
  "batch/v1/Job": jobRule,
  "networking.k8s.io/v1/Ingress": ingressRule,
  "v1/PersistentVolume": simple.persistentVolumeRule,
  "v1/PersistentVolumeClaim": simple.persistentVolumeClaimRule,
  "v1/Pod": podRule,
  "v1/ReplicationController": simple.replicationControllerRule,
  "v1/ResourceQuota": simple.resourceQuotaRule,
  "v1/Secret": simple.secretRule,
  "v1/Service": serviceRule,
};
