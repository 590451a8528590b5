import { newestKarmada } from "../spec/control-plane/component-versions.ts";
import type { Deployment } from "../spec/deployment.ts";

/** Versions that determine how the control plane's data are written: Karmada's CRDs, the API server, etcd. */
export type DataVersions = Readonly<Record<"karmada" | "kubernetes" | "etcd", string>>;

/** Those that a deployment declares. */
export const versionsOfData = ({
  versions,
  controlPlane,
}: Pick<Deployment<unknown>, "versions" | "controlPlane">): DataVersions => ({
  karmada: newestKarmada(controlPlane, versions),
  kubernetes: controlPlane["kube-apiserver"].version,
  etcd: versions.etcd,
});
