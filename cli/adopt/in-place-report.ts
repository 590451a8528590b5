import type { ForeignMember } from "../../lib/adoption/members.ts";
import type { Maker } from "../../lib/adoption/plane.ts";
import type { Workload } from "../../lib/adoption/workloads.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { stackFileName } from "../../toolchain/pulumi/stack-name.ts";
import { programLines } from "./report.ts";

interface Written {
  readonly maker: Maker;
  readonly namespace: string;
  readonly workloads: readonly Workload[];
  readonly members: readonly ForeignMember[];
  readonly objects: readonly KubeObject[];
  readonly left: readonly string[];
  readonly stack: string;
  /** Their directory, as the stack file names it. */
  readonly manifests: string;
}

/** What was found and written, what is left alone, and what to do next. */
export function inPlaceReport({ maker, namespace, workloads, members, objects, left, stack, manifests }: Written) {
  const counts = Map.groupBy(objects, ({ kind = "" }) => kind);
  const heed = others[maker];
  return [
    `a Karmada that ${maker} built in namespace ${namespace}; nothing was changed there`,
    ...programLines(workloads),
    ...members.map(({ name, syncMode }) => `  member ${name}: ${syncMode}`),
    ...(left.length > 0 ? ["", "left alone:", ...left.map((line) => `  ${line}`)] : []),
    "",
    `written: ${stackFileName(stack)}, and in ${manifests} ${objects.length} manifests, none with a Secret's data:`,
    `  ${[...counts].map(([kind, { length }]) => `${kind} ${length}`).join(", ")}`,
    ...(heed === undefined ? [] : [`from now on: ${heed}`]),
    "the preview imports each of them and changes none; then edit a manifest, and preview again:",
    `  npm run pulumi -- preview --stack ${stack}`,
    `  npm run pulumi -- up --stack ${stack}`,
  ].join("\n");
}

/** What else would change these objects. */
const others: Readonly<Partial<Record<Maker, string>>> = {
  "the Helm chart": "no helm upgrade of its release, which would undo edits",
  "karmada-operator": "scale karmada-operator to 0 before the first edit, which it would undo",
};
