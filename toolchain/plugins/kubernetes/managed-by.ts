import { Unknown } from "../server/index.ts";
import { at, setAt } from "./object.ts";
import type { KubeObject } from "./object.ts";

const LABEL = "app.kubernetes.io/managed-by";

/** Sets the label that names Pulumi as the manager. */
export function setManagedByLabel(object: KubeObject): void {
  setAt(object, manager(), "metadata", "labels", LABEL);
}

export function hasManagedByLabel(object: KubeObject): boolean {
  const path = ["metadata", "labels", LABEL];
  return (
    path.some((_, i) => at(object, ...path.slice(0, i + 1)) instanceof Unknown) || at(object, ...path) === manager()
  );
}

function manager(): string {
  return process.env["PULUMI_KUBERNETES_MANAGED_BY_LABEL"] ?? "pulumi";
}
