import type { KubeObject } from "../../lib/kube/client.ts";
import { readyCondition } from "../../lib/members/registration.ts";
import { seenOf } from "../../lib/members/seen.ts";
import type { ClusterRegistrationOutputs } from "../cluster-registration.ts";

/** What a member's Cluster tells of it; of one in Pull mode only that it is registered. */
export function outputsOf(
  cluster: KubeObject,
): Omit<ClusterRegistrationOutputs, "credentialSince" | "tokenReplaced" | "way" | "planeUid"> {
  const { metadata, spec, status } = cluster;
  const known = { uid: spec.id, apiEndpoint: spec.apiEndpoint };
  if (spec.syncMode === "Pull") return { ...known, registered: metadata?.uid ?? "" };
  return {
    ...known,
    kubernetesVersion: status?.kubernetesVersion ?? "",
    ready: readyCondition({ status })?.status === "True",
    seen: seenOf(cluster),
  };
}
