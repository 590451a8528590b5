import { at } from "../object.ts";
import type { KubeObject } from "../object.ts";

/** Whether the job has completed. */
export function isJobReady(job: KubeObject): boolean {
  const conditions = at(job, "status", "conditions");
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (each) => at(each as KubeObject, "type") === "Complete" && at(each as KubeObject, "status") === "True",
    )
  );
}
