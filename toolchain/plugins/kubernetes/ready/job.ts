import { at } from "../object.ts";
import type { KubeObject } from "../object.ts";
import { podProblems } from "./pod.ts";
import { conditionsOf, core, isOwnedBy, numberAt, qualifiedName, spoken } from "./rule.ts";
import type { Rule, Status } from "./rule.ts";

/** Started and complete; failed for good when it has used up its retries or its time. */
export const jobRule: Rule = {
  ...spoken,
  onRead: true,
  related: [core("Pod")],
  judge({ object, related, once }) {
    const started = at(object, "status", "startTime") !== undefined;
    const name = JSON.stringify(qualifiedName(object));
    const counts = `(Active: ${numberAt(object, "status", "active")} | Succeeded: ${numberAt(object, "status", "succeeded")} | Failed: ${numberAt(object, "status", "failed")})`;
    const status: Status[] = [["info", `Waiting for Job ${name} to start`]];
    if (started) status.push(["info", `Waiting for Job ${name} to succeed ${counts}`]);
    const failure = started ? failureOf(object) : undefined;
    const failures = failure === undefined ? [] : [failure];
    const pods = related("Pod")
      .filter((pod) => isOwnedBy(pod, object))
      .flatMap(podProblems);
    const shown = pods.filter((each) => !each.includes("containers with unready status"));
    return {
      ready: isJobReady(object),
      failed: failure !== undefined,
      status: [...status, ...shown.map((each): Status => ["warning", each])],
      problems: once ? [...failures, ...pods] : [...pods, ...failures], // pods fail before their job does
    };
  },
};

/** Whether the job has started and is complete. */
export function isJobReady(job: KubeObject): boolean {
  if (at(job, "status", "startTime") === undefined || failureOf(job) !== undefined) return false;
  return conditionsOf(job).some(({ type, status }) => type === "Complete" && status === "True");
}

function failureOf(job: KubeObject): string | undefined {
  const failed = conditionsOf(job).find(({ type, status }) => type === "Failed" && status === "True");
  if (!failed || !["BackoffLimitExceeded", "DeadlineExceeded"].includes(failed.reason ?? "")) return undefined;
  return `[${failed.reason}] ${failed.message ?? ""}`;
}
