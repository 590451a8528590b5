import type { KubeObject } from "./client.ts";

/** What keeps a pod from running, as far as its status tells. */
export function whyNotRunning({ status }: KubeObject): string {
  const all = [
    ...((status?.initContainerStatuses ?? []) as KubeObject[]),
    ...((status?.containerStatuses ?? []) as KubeObject[]),
  ];
  const states = all.map(({ state }) => state?.waiting ?? state?.terminated).filter((state) => state !== undefined);
  const state = states.find(({ reason }) => !expected.includes(reason as string)) ?? states.at(-1);
  const unmet = ((status?.conditions ?? []) as KubeObject[]).find(
    (each) => each["status"] !== "True" && each["message"],
  );
  return [status?.phase, state?.reason, state?.message, status?.message ?? unmet?.["message"]]
    .filter(Boolean)
    .join(": ");
}

/** Reasons of a container that has completed, or waits for another to do so. */
const expected = ["Completed", "PodInitializing"];

/** Whether it is ready, and not terminating. */
export function isReady({ metadata, status }: KubeObject): boolean {
  const conditions = (status?.conditions ?? []) as KubeObject[];
  const serves = conditions.some((each) => each["type"] === "Ready" && each["status"] === "True");
  return serves && metadata?.deletionTimestamp === undefined;
}

/** Whether none of its programs runs any more, as its node has reported. */
export const hasEnded = ({ status }: KubeObject): boolean => over.has(status?.phase as string);

const over: ReadonlySet<string> = new Set(["Succeeded", "Failed"]);

/** It should have terminated long ago, and its node has not reported it: as when the node is gone. */
export const isLost = ({ metadata }: KubeObject): boolean =>
  metadata?.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) + lostSeconds * 1000 < Date.now();

const lostSeconds = 60;

/** What is reported of one of its containers. Others may have been put beside it, such as the proxy of a mesh. */
export const containerStatus = (pod: KubeObject | undefined, container: string): KubeObject | undefined =>
  ((pod?.["status"]?.containerStatuses ?? []) as KubeObject[]).find((each) => each["name"] === container);

/**
 * How one of its containers ended, undefined as long as it has not: others may go on beside it. In a pod that is over
 * without a report of it, such as an evicted one, it failed.
 */
export function endOf(pod: KubeObject, container: string): "succeeded" | "failed" | undefined {
  const { terminated } = (containerStatus(pod, container)?.["state"] ?? {}) as { terminated?: { exitCode: number } };
  if (terminated !== undefined) return terminated.exitCode === 0 ? "succeeded" : "failed";
  return hasEnded(pod) ? "failed" : undefined;
}

/** Whether the kubelet keeps a container of it running. One that ended counts too: it is restarted, after 10 s and more. */
export function isRunning(pod: KubeObject | undefined, container: string): boolean {
  const status = containerStatus(pod, container);
  const { running, terminated } = (status?.["state"] ?? {}) as Record<string, unknown>;
  const hasRun = running !== undefined || terminated !== undefined || Number(status?.["restartCount"] ?? 0) > 0;
  return pod?.metadata?.deletionTimestamp === undefined && hasRun;
}
