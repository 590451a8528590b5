import type { KubernetesLab } from "../../../support/kubernetes-lab.ts";
import type { Kubectl } from "../kubectl.ts";

/** Where a plane is to be. */
export interface Site {
  readonly lab: KubernetesLab;
  /** Of the lab, as a file. */
  readonly kubeconfig: string;
  readonly kubectl: Kubectl;
  /** For files of the installer. */
  readonly directory: string;
}

/** Something that builds Karmadas in host clusters, by its own means. */
export interface Installer {
  /** As `npm run adopt` calls it. */
  readonly maker: string;
  readonly namespace: string;
  /** Its Deployment. */
  readonly scheduler: string;
  /** Images beyond those of every Karmada in pods. */
  readonly images: readonly string[];
  /** Programs of this machine that are in them. */
  readonly packages: readonly string[];
  /** Returns when all of it serves. @returns an administrator's kubeconfig, for this machine */
  install(site: Site): Promise<string>;
  /** Ends what would set its objects again. */
  letGo?(site: Site): Promise<void>;
}
