import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface PlaneVersionsInputs {
  /** Version of Karmada's definitions, without `v`. */
  readonly karmada: string;
  /** Version of the API server, without `v`. */
  readonly kubernetes: string;
  /** What keeps its data. State of before this was noted has none. */
  readonly etcd: "managed" | "external";
  /** Whether karmada-controller-manager acts for MultiClusterServices. State of before this was noted has none. */
  readonly multiClusterServices: boolean;
  /** Whether steps are allowed that nobody promises to work. */
  readonly allowDowngrade: boolean;
  /** How its API servers write what is secret. @default it was never encrypted */
  readonly encryption?: "secretbox" | "identity";
  /** Of an administrator of the Karmada API. */
  readonly karmadaKubeconfig: string;
}

const provider = forwarding("plane-versions-impl");

/**
 * The versions of what writes the control plane's data, and how and where it writes them. It makes nothing: it says in the preview
 * when a step to others is none that Kubernetes or Karmada promise to work, or what is there could not be read, would be gone or
 * could not be deleted after it. Which versions are there is asked of the API, since an `up` may have ended halfway; where that does not answer, what
 * was declared the last time counts.
 */
export class PlaneVersions extends DynamicResource<PlaneVersionsInputs> {
  constructor(name: string, args: AsInputs<PlaneVersionsInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: [], secretInputs: ["karmadaKubeconfig"] };
    super(provider, { module: "kube", type: "PlaneVersions", ...type }, name, args, opts);
  }
}
