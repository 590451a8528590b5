/** As many replicas of everything of which a control plane may have several. */
export const ofEach = (replicas: number) =>
  Object.fromEntries(
    [
      "kube-apiserver",
      "kube-controller-manager",
      "karmada-aggregated-apiserver",
      "karmada-controller-manager",
      "karmada-scheduler",
      "karmada-webhook",
    ].map((name) => [name, { replicas }]),
  );

/** To be sparing. */
export const oneOfEach = ofEach(1);
