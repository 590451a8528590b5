import type { KubeObject } from "./client.ts";

/**
 * What selects nodes, as `nodeAffinity.required` of a volume does: any of its terms
 * (https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/persistent-volume-v1/).
 */
export interface NodeSelector {
  readonly nodeSelectorTerms?: readonly Term[];
}

interface Term {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export const selects = ({ nodeSelectorTerms = [] }: NodeSelector, node: KubeObject): boolean =>
  nodeSelectorTerms.some((term) => holds(term, node));

/** Whether it lists nodes one by one, so that one which is made later is never among them. */
export const listsNodes = ({ nodeSelectorTerms = [] }: NodeSelector): boolean =>
  nodeSelectorTerms.every(({ matchExpressions = [], matchFields = [] }) =>
    [...matchExpressions, ...matchFields].some(({ key, operator }) => operator === "In" && names.has(key)),
  );

const names: ReadonlySet<string> = new Set(["kubernetes.io/hostname", "metadata.name"]);

/** An empty term selects nothing. */
function holds({ matchExpressions = [], matchFields = [] }: Term, { metadata }: KubeObject): boolean {
  const labels = metadata?.labels ?? {};
  const label = (key: string) => labels[key] ?? labels[newKeys[key] ?? ""];
  return (
    matchExpressions.length + matchFields.length > 0 &&
    matchExpressions.every((each) => isMet(each, label(each.key))) &&
    matchFields.every((each) => isMet(each, each.key === "metadata.name" ? metadata?.name : undefined))
  );
}

/** Volumes from before Kubernetes 1.17 go by labels that nodes have under other names since. */
const newKeys: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
};

function isMet({ operator, values = [] }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return integer(value) > integer(values[0]);
    case "Lt":
      return integer(value) < integer(values[0]);
    default:
      // One of a newer Kubernetes.
      return true;
  }
}

const integer = (text = ""): number => (/^[+-]?\d+$/.test(text) ? Number(text) : NaN);
