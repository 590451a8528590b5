import { z } from "zod";
import { settablePrograms } from "../control-plane/component-names.ts";
import type { KubernetesPlacement } from "../deployment.ts";
import { words } from "../field.ts";
import { annotationRecord, labelKey, labelValue } from "../values/labels.ts";
import { toleration } from "../values/taints.ts";

/** Every program that has pods in a host cluster, by the names that its pods are labelled with. */
export const podPrograms: readonly string[] = ["etcd", ...settablePrograms, "etcd-backup"];

export const nodeSelector = z.record(labelKey, labelValue);
export const tolerations = z.array(toleration);
export const priorityClass = words("the name of a priority class").optional();

/** What a label or an annotation belongs to, by its key, or by what the key begins with where that ends in `/` or `.`. */
type Taken = Readonly<Record<string, string>>;

const [tool, kubernetes] = ["this program", "Kubernetes"];

/** https://kubernetes.io/docs/reference/labels-annotations-taints/ */
const takenLabels: Taken = {
  "karmada-pulumi/": tool,
  "app.kubernetes.io/name": tool,
  "app.kubernetes.io/instance": tool,
  "app.kubernetes.io/managed-by": tool,
  "pod-template-hash": kubernetes,
  "controller-revision-hash": kubernetes,
  "statefulset.kubernetes.io/": kubernetes,
  "apps.kubernetes.io/pod-index": kubernetes,
  "topology.kubernetes.io/zone": kubernetes,
  "topology.kubernetes.io/region": kubernetes,
};

const takenAnnotations: Taken = {
  "karmada-pulumi/": tool,
  "kubernetes.io/config.": kubernetes,
  "kubernetes.io/limit-ranger": kubernetes,
  "kubectl.kubernetes.io/restartedAt": "kubectl",
};

/** Finds keys that others set. */
const free = (what: string, taken: Taken) => (given: Readonly<Record<string, string>>, issue: z.RefinementCtx) => {
  for (const key of Object.keys(given)) {
    const owner = Object.keys(taken).find((each) => (/[/.]$/.test(each) ? key.startsWith(each) : key === each));
    if (owner === undefined) continue;
    const message = `this key is not allowed, want another ${what}: ${taken[owner]} sets it`;
    issue.addIssue({ code: "custom", path: [key], message });
  }
};

export const labels = z.record(labelKey, labelValue).superRefine(free("label", takenLabels)).default({});
export const annotations = annotationRecord.superRefine(free("annotation", takenAnnotations)).default({});

/** By program. That there is such a program is checked with the rest of the placement (kubernetes-check.ts). */
export const pods = z
  .record(
    words("the name of a program"),
    z.strictObject({
      nodeSelector: nodeSelector
        .optional()
        .describe("Labels of the nodes to run on, in place of the general ones; `{}` for any node."),
      tolerations: tolerations
        .optional()
        .describe("Taints of nodes that are no obstacle, in place of the general ones; `[]` for none."),
      priorityClass: priorityClass.describe("Priority class, in place of the general one."),
      labels: labels.describe("Labels of its pods, besides the general ones."),
      annotations: annotations.describe("Annotations of its pods, besides the general ones."),
    }),
  )
  .default({})
  .describe(
    `What is otherwise for the pods of a program: \`nodeSelector\`, \`tolerations\` and \`priorityClass\` in place of the general ones, \`labels\` and \`annotations\` besides them. By the name of the program: ${podPrograms.map((name) => `\`${name}\``).join(", ")}. \`etcd\` is every etcd of the deployment, and what restores its data; agents and estimators are those in the host cluster.`,
  );

type General = Pick<
  KubernetesPlacement<unknown>,
  "nodeSelector" | "tolerations" | "priorityClass" | "labels" | "annotations" | "pods"
>;

/** The settings of a placement as they are for the pods of one program. */
export function podSettingsOf<P extends General>(placement: P, program: string): P {
  const { labels = {}, annotations = {}, ...own } = placement.pods[program] ?? {};
  return {
    ...placement,
    ...own,
    labels: { ...placement.labels, ...labels },
    annotations: { ...placement.annotations, ...annotations },
  };
}

/** Whether the pods of a program have nodes of their own choice. */
export function hasOwnNodes({ pods }: Pick<General, "pods">, program: string): boolean {
  const own = pods[program];
  return own?.nodeSelector !== undefined || own?.tolerations !== undefined;
}
