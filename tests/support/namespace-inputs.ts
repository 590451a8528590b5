/** Of a provider of a namespace, for a deployment that wants little of its host cluster. */
export const namespaceInputs = (kubeconfig: string) => ({
  kubeconfig,
  namespace: "fleet",
  deployment: "dev",
  oldest: "1.23",
  nodePorts: { "karmada-apiserver": [32443] },
  timeoutSeconds: 60,
});
