/** Kinds that are ready when one field says so. */
import { equal } from "../merge-patch.ts";
import { at, isObject, nameOf, textAt } from "../object.ts";
import type { KubeObject } from "../object.ts";
import { done, polled } from "./rule.ts";
import type { Rule, Status } from "./rule.ts";

const minutes = 60_000;

export const persistentVolumeRule: Rule = {
  ...polled,
  fixedTimeoutMs: 5 * minutes,
  judge({ object }) {
    const phase = textAt(object, "status", "phase");
    const status: Status[] = [];
    if (phase === "Available") status.push(["info", done("PV marked available")]);
    if (phase === "Bound") status.push(["info", done("PV has been bound")]);
    return { ready: status.length > 0, status };
  },
};

/** Bound; pending is enough where the storage class waits for the first pod. */
export const persistentVolumeClaimRule: Rule = {
  ...polled,
  fixedTimeoutMs: 5 * minutes,
  related: [{ group: "storage.k8s.io", version: "v1", kind: "StorageClass" }],
  judge({ object, previous, related, isListed }) {
    const phase = textAt(object, "status", "phase");
    if (previous !== undefined && phase === "Bound") return { ready: true };
    const className = textAt(object, "spec", "storageClassName");
    const storageClass = related("StorageClass").find((each) => nameOf(each) === className);
    const waitsForPod = storageClass && textAt(storageClass, "volumeBindingMode") === "WaitForFirstConsumer";
    const isMissing = className !== "" && isListed("StorageClass") && storageClass === undefined;
    const status: Status[] = [
      ...(className === "" ? [unclassified(nameOf(object))] : []),
      ...(isMissing ? [missing(className)] : []),
    ];
    return { ready: phase === (waitsForPod ? "Pending" : "Bound"), status };
  },
};

const unclassified = (claim: string): Status => ["warning", `no storage class found for ${JSON.stringify(claim)}`];

const missing = (name: string): Status => {
  const quoted = JSON.stringify(name);
  return ["warning", `getting storagclass ${quoted}: storageclasses.storage.k8s.io ${quoted} not found`];
};

export const replicationControllerRule: Rule = {
  ...polled,
  fixedTimeoutMs: 10 * minutes,
  judge: ({ object }) => {
    const available = at(object, "status", "availableReplicas");
    return { ready: available !== undefined && available === at(object, "spec", "replicas") };
  },
};

/** Its limits are in force. */
export const resourceQuotaRule: Rule = {
  ...polled,
  fixedTimeoutMs: minutes,
  judge({ object }) {
    const [wanted, found] = [at(object, "spec", "hard"), at(object, "status", "hard")];
    return { ready: isObject(wanted) && isObject(found) && equal(wanted, found) };
  },
};

/** A token of a service account is filled in; any other Secret is ready at once. */
export const secretRule: Rule = {
  ...polled,
  fixedTimeoutMs: 5_000,
  judge: ({ object }) => ({
    ready: !isToken(object) || Object.keys((at(object, "data") ?? {}) as KubeObject).length > 0,
  }),
};

function isToken(secret: KubeObject): boolean {
  return textAt(secret, "type") === "kubernetes.io/service-account-token";
}
