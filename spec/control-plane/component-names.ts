/** Every component of the control plane, by upstream's names, in the order they start. */
export const componentNames = [
  "kube-apiserver",
  "kube-controller-manager",
  "karmada-aggregated-apiserver",
  "karmada-webhook",
  "karmada-search",
  "karmada-metrics-adapter",
  "karmada-controller-manager",
  "karmada-scheduler",
  "karmada-descheduler",
] as const;

export type ComponentName = (typeof componentNames)[number];

/** Programs of which each serves one member. */
export const memberProgramNames = ["karmada-agent", "karmada-scheduler-estimator"] as const;

/** A program that has settings under `controlPlane`. */
export type SettableProgram = ComponentName | (typeof memberProgramNames)[number];

/** Every program that has settings under `controlPlane`. */
export const settablePrograms: readonly SettableProgram[] = [...componentNames, ...memberProgramNames];
