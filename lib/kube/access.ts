import type { KubeClient } from "./client.ts";

/** Verbs that the user of a kubeconfig needs on objects of a kind. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  /** Part of such an object: `exec` of pods. */
  readonly subresource?: string;
  readonly verbs: readonly string[];
}

/** The name of its kind of objects: `pods/exec`, `deployments.apps`. */
export function titleOf({ group, resource, subresource }: Right): string {
  const named = subresource === undefined ? resource : `${resource}/${subresource}`;
  return group === "" ? named : `${named}.${group}`;
}

/** Whether the user may do everything to everything. */
export const mayEverything = (client: KubeClient): Promise<boolean> =>
  may(client, { group: "*", resource: "*", verb: "*" });

/** The verbs of a right that the user lacks. @param namespace of the objects; cluster-scoped ones have none */
export async function missingVerbs(
  client: KubeClient,
  { verbs, ...kind }: Right,
  namespace?: string,
): Promise<string[]> {
  // For authorisation, a namespace object is in itself.
  const where = namespace && { namespace, ...(kind.resource === "namespaces" && { name: namespace }) };
  const missing: string[] = [];
  for (const verb of verbs) if (!(await may(client, { ...kind, ...where, verb }))) missing.push(verb);
  return missing;
}

async function may(client: KubeClient, resourceAttributes: Readonly<Record<string, string>>): Promise<boolean> {
  const review = await client.create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes },
  });
  return review["status"]?.allowed === true;
}
