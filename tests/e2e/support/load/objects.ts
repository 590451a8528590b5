/** What a load writes, watches and reads: config maps where no controller of Karmada looks. */
export const objects = {
  path: "/api/v1/namespaces/kube-public/configmaps",
  name: (number: number): string => `load-${number}`,
  body: (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { name } }),
};
