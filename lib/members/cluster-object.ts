import type { ResourceModel } from "../../spec/members/resource-models.ts";
import type { KubeObject } from "../kube/client.ts";
import type { MemberCredentials } from "./credentials.ts";
import { annotated, type Declarer } from "./declarer.ts";
import type { Endpoint } from "./endpoint.ts";
import { clusterNamespace, impersonatorSecretOf } from "./names.ts";
import { areWritten, usualModels, written } from "./resource-models.ts";

/** Push: the control plane reaches into the member. Pull: an agent of the member reaches out to the control plane. */
export type SyncMode = "Push" | "Pull";

/** A taint of a Cluster: what a policy has to tolerate. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: "NoSchedule" | "NoExecute";
}

/** What an operator says about a member. */
export interface Description {
  readonly provider?: string;
  readonly region?: string;
  readonly zones?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Grades of nodes. @default Karmada's own */
  readonly resourceModels?: readonly ResourceModel[];
  /** Proxy by which the control plane reaches the member. @default that of the endpoint */
  readonly proxy?: string;
  /** Headers for the proxy, by their names. */
  readonly proxyHeader?: Readonly<Record<string, string>>;
}

/** What is written down about a member on the plane. */
export interface Registration {
  readonly cluster: string;
  /** UID of the member's kube-system namespace. */
  readonly uid: string;
  readonly endpoint: Endpoint;
  readonly credentials: Omit<MemberCredentials, "superseded" | "isReplacement">;
  readonly syncMode: SyncMode;
  readonly declaredBy: Declarer;
  /** Anybody may declare it from now on. @default false */
  readonly handOver?: boolean;
  readonly description: Description;
  /** The previous description: labels and taints that are no longer in it are removed, others' stay. */
  readonly before: Description;
}

/** The Cluster to be written: with our settings, and those of others left alone. */
export function clusterObject(existing: KubeObject | undefined, registration: Registration): KubeObject {
  const { cluster, uid, endpoint, syncMode, declaredBy, handOver = false, description, before } = registration;
  const labels = {
    ...without(existing?.metadata?.labels ?? {}, Object.keys(before.labels ?? {})),
    ...description.labels,
  };
  const annotations = annotated(existing?.metadata?.annotations ?? {}, handOver ? undefined : declaredBy);
  const taints = mergedTaints(existing?.spec?.taints ?? [], description.taints ?? [], before.taints ?? []);
  const models = description.resourceModels ?? (before.resourceModels && usualModels);
  const { provider, region, zones = [], proxy = endpoint.proxyURL, proxyHeader } = description;
  return {
    ...existing,
    apiVersion: "cluster.karmada.io/v1alpha1",
    kind: "Cluster",
    metadata: {
      ...without(existing?.metadata ?? {}, ["labels", "annotations"]),
      name: cluster,
      ...(!isEmpty(labels) && { labels }),
      ...(!isEmpty(annotations) && { annotations }),
    },
    spec: {
      ...without(existing?.spec ?? {}, ["taints", "proxyURL", "proxyHeader", "provider", "region", "zone", "zones"]),
      id: uid,
      syncMode,
      apiEndpoint: endpoint.apiEndpoint,
      insecureSkipTLSVerification: endpoint.insecureSkipTLSVerification,
      ...(proxy !== undefined && { proxyURL: proxy }),
      ...(proxyHeader !== undefined && { proxyHeader }),
      ...secretRefs(cluster),
      ...(provider !== undefined && { provider }),
      ...(region !== undefined && { region }),
      ...(zones.length > 0 && { zones }),
      ...(taints.length > 0 && { taints }),
      ...(models && !areWritten(models, existing?.spec?.resourceModels) && { resourceModels: written(models) }),
    },
  };
}

/** Where a Cluster says that its tokens are. */
export const secretRefs = (cluster: string) => ({
  secretRef: { namespace: clusterNamespace, name: cluster },
  impersonatorSecretRef: { namespace: clusterNamespace, name: impersonatorSecretOf(cluster) },
});

/** The present values in a Cluster of what is declared, to be compared with the declaration. */
export function describedBy(object: KubeObject, declared: Description): Description {
  const { provider, region, zones, proxyURL, proxyHeader } = object.spec;
  const labels = Object.keys(declared.labels ?? {}).flatMap((key) => {
    const value = object.metadata?.labels?.[key];
    return value === undefined ? [] : [[key, value]];
  });
  const taints = (declared.taints ?? []).flatMap((taint) => {
    const found = (object.spec.taints as Taint[] | undefined)?.find((each) => alike(each, taint));
    if (found === undefined) return [];
    return (found.value ?? "") === (taint.value ?? "") ? [taint] : [{ ...taint, value: found.value ?? "" }];
  });
  return {
    ...(provider && { provider }),
    ...(region && { region }),
    ...((zones ?? declared.zones) && { zones: zones ?? [] }),
    ...(declared.labels && { labels: Object.fromEntries(labels) }),
    ...(declared.taints && { taints }),
    ...(declared.resourceModels && {
      resourceModels: areWritten(declared.resourceModels, object.spec.resourceModels)
        ? declared.resourceModels
        : (object.spec.resourceModels ?? []),
    }),
    ...(declared.proxy && proxyURL && { proxy: proxyURL }),
    ...(declared.proxyHeader && proxyHeader && { proxyHeader }),
  };
}

/** Ours in place of the previous ones; an unchanged one is left as it is, since Karmada notes when it was added. */
function mergedTaints(existing: readonly Taint[], wanted: readonly Taint[], before: readonly Taint[]): Taint[] {
  const stays = existing.filter((taint) => {
    const ours = wanted.find((each) => alike(each, taint));
    if (ours !== undefined) return (ours.value ?? "") === (taint.value ?? "");
    return !before.some((each) => alike(each, taint));
  });
  return [...stays, ...wanted.filter((taint) => !stays.some((each) => alike(each, taint)))];
}

/** A Cluster has at most one taint for a key and an effect. */
const alike = (a: Taint, b: Taint) => a.key === b.key && a.effect === b.effect;

const isEmpty = (fields: object) => Object.keys(fields).length === 0;

function without<T>(fields: Record<string, T>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
