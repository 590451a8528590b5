import { at, textAt } from "../object.ts";
import type { KubeObject } from "../object.ts";
import { conditionsOf, qualifiedName, spoken } from "./rule.ts";
import type { Condition, Rule, Status } from "./rule.ts";

/** Scheduled, initialised and ready (or done). */
export const podRule: Rule = {
  ...spoken,
  onRead: true,
  judge({ object }) {
    const { ready, steps, problems } = judgePod(object);
    return { ready, status: steps.map((step): Status => ["info", step]), problems };
  },
};

/** Why a pod is not ready, in the kubelet's words. */
export function podProblems(pod: KubeObject): readonly string[] {
  return judgePod(pod).problems;
}

function judgePod(pod: KubeObject): { ready: boolean; steps: string[]; problems: string[] } {
  const name = qualifiedName(pod);
  const steps: string[] = [];
  for (const { type, word } of stages) {
    steps.push(`Waiting for Pod ${JSON.stringify(name)} to be ${word}`);
    const condition = conditionsOf(pod).find((each) => each.type === type);
    if (
      condition?.status === "True" ||
      (condition && type === "Ready" && textAt(pod, "status", "phase") === "Succeeded")
    ) {
      continue;
    }
    return { ready: false, steps, problems: type === "PodScheduled" ? [] : podProblem(pod, condition, name) };
  }
  return { ready: true, steps, problems: [] };
}

const stages = [
  { type: "PodScheduled", word: "scheduled" },
  { type: "Initialized", word: "initialized" },
  { type: "Ready", word: "ready" },
];

function podProblem(pod: KubeObject, condition: Condition | undefined, name: string): string[] {
  if (condition === undefined) return [];
  const statuses = at(pod, "status", "containerStatuses");
  const errors = Array.isArray(statuses) ? statuses.flatMap((each) => containerErrors(each as KubeObject)) : [];
  if (errors.length === 0 && !condition.message) return [];
  const message = condition.reason && condition.message ? condition.message : "";
  return [`[Pod ${name}]: ${message}${errors.join("\n")}`];
}

function containerErrors(status: KubeObject): string[] {
  if (status["ready"] === true) return [];
  return [waiting(status), terminated(status), ...lastTermination(status)].filter((each) => each !== undefined);
}

function waiting(status: KubeObject): string | undefined {
  const reason = textAt(status, "state", "waiting", "reason");
  if (at(status, "state", "waiting") === undefined || reason === "ContainerCreating") return undefined;
  return `[${reason}] ${trimmed(textAt(status, "state", "waiting", "message"))}`;
}

function terminated(status: KubeObject): string | undefined {
  const reason = textAt(status, "state", "terminated", "reason");
  const message = textAt(status, "state", "terminated", "message");
  if (!reason) return undefined;
  if (message) return `[${reason}] ${trimmed(message)}`;
  const exitCode = String(at(status, "state", "terminated", "exitCode"));
  return `container ${JSON.stringify(textAt(status, "name"))} completed with exit code ${exitCode}`;
}

function lastTermination(status: KubeObject): string[] {
  if (at(status, "lastState", "terminated") === undefined) return [];
  const field = (key: string) => String(at(status, "lastState", "terminated", key) ?? "");
  const name = JSON.stringify(textAt(status, "name"));
  const first = `container ${name} terminated at ${field("finishedAt")} (${field("reason")}: exit code ${field("exitCode")})`;
  return [first, field("message")].filter(Boolean);
}

function trimmed(message: string): string {
  return message
    .replace(/^rpc error: code = Unknown desc = Error response from daemon: /, "")
    .replace(/: manifest unknown$/, "");
}
