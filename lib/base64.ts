/** A text as Kubernetes has it in Secrets, CA bundles and kubeconfigs. */
export const base64 = (text: string): string => Buffer.from(text).toString("base64");
