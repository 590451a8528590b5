import type { DeleteRequest } from "../../server/index.ts";
import { isNotFound } from "../api-error.ts";
import { isAnnotationTrue, SKIP_AWAIT, timeoutOf } from "../annotations.ts";
import { referenceOf } from "../cluster.ts";
import { gvkOfObject } from "../gvk.ts";
import { at, textAt } from "../object.ts";
import type { KubeObject } from "../object.ts";
import type { Session } from "../session.ts";
import { NotReadyError } from "./await.ts";
import { follow } from "./follow.ts";
import { StatusLog } from "./status-log.ts";

const DEFAULT_TIMEOUT_MS = 10 * 60_000;

/** Waits until the object is gone. @throws NotReadyError when it is still there in the end */
export async function awaitDeleted(
  session: Session,
  request: DeleteRequest & { readonly inputs: KubeObject; readonly live: KubeObject },
): Promise<void> {
  const { inputs, live, log, timeout, signal } = request;
  if (isAnnotationTrue(inputs, SKIP_AWAIT) && maySkip(inputs)) return;
  const uid = textAt(live, "metadata", "uid");
  let last = live;
  const status = new StatusLog(log);
  const deadline = AbortSignal.timeout(timeoutOf(inputs, timeout) ?? DEFAULT_TIMEOUT_MS);
  try {
    for await (const object of follow(session.cluster, referenceOf(live), AbortSignal.any([signal, deadline]))) {
      if (object === undefined || (uid && textAt(object, "metadata", "uid") !== uid)) return status.clear();
      last = object;
      if (textAt(object, "metadata", "deletionTimestamp")) status.show("info", "Resource scheduled for deletion");
    }
  } catch (error) {
    if (isNotFound(error)) return;
    if (!deadline.aborted && !signal.aborted) throw error;
  }
  const finalizers = at(last, "metadata", "finalizers");
  log("warning", `finalizers might be preventing deletion (${Array.isArray(finalizers) ? finalizers.join(", ") : ""})`);
  throw new NotReadyError(signal.aborted ? "context canceled" : "timed out waiting for the condition", last);
}

/** Kinds whose deletion takes long because of what belongs to them. */
function maySkip(inputs: KubeObject): boolean {
  const { group, version, kind } = gvkOfObject(inputs);
  const id = `${group}/${version}`;
  if (id === "/v1") return ["Namespace", "Pod", "ReplicationController"].includes(kind);
  if (group === "apps") return ["DaemonSet", "Deployment", "StatefulSet"].includes(kind);
  return id === "batch/v1" && kind === "Job";
}
