import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface PlaneVersionsInputs {
  /** Version of Karmada's CRDs, without `v`. */
  readonly karmada: string;
  /** Version of the API server, without `v`. */
  readonly kubernetes: string;
  /** What keeps its data. Absent in the state of older releases. */
  readonly etcd: "managed" | "external";
  /** Whether karmada-controller-manager handles MultiClusterServices. Absent in the state of older releases. */
  readonly multiClusterServices: boolean;
  /** Whether unsupported version steps are allowed. */
  readonly allowDowngrade: boolean;
  /** How its API servers store secrets. @default never encrypted */
  readonly encryption?: "secretbox" | "identity";
  /** Of an administrator of the Karmada API. */
  readonly karmadaKubeconfig: string;
}

const provider = forwarding("plane-versions-impl");

/**
 * The versions of what writes the control plane's data, and how and where it writes them. It makes nothing: the preview
 * reports a version step that Kubernetes or Karmada do not support, or after which existing data could not be read,
 * would be gone, or could not be deleted. The present versions are asked of the API, since an `up` may have ended
 * halfway; if it does not answer, the last declaration counts.
 */
export class PlaneVersions extends DynamicResource<PlaneVersionsInputs> {
  constructor(name: string, args: AsInputs<PlaneVersionsInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: [], secretInputs: ["karmadaKubeconfig"] };
    super(provider, { module: "kube", type: "PlaneVersions", ...type }, name, args, opts);
  }
}
