/** One replica of everything of which a control plane has more, to be sparing. */
export const oneOfEach = Object.fromEntries(
  [
    "kube-apiserver",
    "kube-controller-manager",
    "karmada-aggregated-apiserver",
    "karmada-controller-manager",
    "karmada-scheduler",
    "karmada-webhook",
  ].map((name) => [name, { replicas: 1 }]),
);
