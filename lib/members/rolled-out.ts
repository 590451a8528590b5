import type { KubeClient, KubeObject } from "../kube/client.ts";

/** An object of the Karmada API that a policy brings to members. */
export interface RolledOut {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Whether it has to be ready there, rather than merely exist. */
  readonly ready: boolean;
}

/** What Karmada knows of such an object. */
export interface SeenObject {
  readonly object: RolledOut;
  readonly binding: KubeObject | undefined;
  /** The object in the Karmada API, if it is a workload: its status tells which version a member has. */
  readonly template: KubeObject | undefined;
}

/** Asks Karmada for it. */
export async function lookAt(plane: KubeClient, object: RolledOut): Promise<SeenObject> {
  const path = templatePath(object);
  const [binding, template] = await Promise.all([plane.find(bindingPath(object)), path && plane.find(path)]);
  return { object, binding, template: template || undefined };
}

/**
 * Path of the object in the Karmada API, for kinds in whose status Karmada keeps the version that members have;
 * undefined for others.
 */
export function templatePath({ apiVersion, kind, namespace, name }: RolledOut): string | undefined {
  if (apiVersion !== "apps/v1" || !versioned.has(kind)) return undefined;
  return `/apis/apps/v1/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;
}

const versioned: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "DaemonSet"]);

/** Karmada's own rule (its pkg/util/names, GenerateBindingName). */
function bindingPath({ kind, namespace, name }: RolledOut): string {
  const binding = `${name.replaceAll(":", ".")}-${kind}`.toLowerCase();
  const api = "/apis/work.karmada.io/v1alpha2";
  return namespace === undefined
    ? `${api}/clusterresourcebindings/${binding}`
    : `${api}/namespaces/${namespace}/resourcebindings/${binding}`;
}

/** What a member has reported of it. */
export interface InMember {
  readonly clusterName: string;
  readonly applied?: boolean;
  readonly appliedMessage?: string;
  readonly health?: "Healthy" | "Unhealthy" | "Unknown";
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- differs per kind
  readonly status?: Record<string, any>;
}

/** What every member that has it has reported. */
export const inMembers = (binding: KubeObject | undefined): readonly InMember[] =>
  binding?.status?.aggregatedStatus ?? [];

/** The generation, in the Karmada API, of what a member has. */
export const versionOf = (status: InMember["status"]): unknown => status?.["resourceTemplateGeneration"];
