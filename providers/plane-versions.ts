import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";
import type { PlacementKind } from "./other-placement.ts";

/** Its arguments in a program. */
export type PlaneVersionsArgs = AsInputs<Omit<PlaneVersionsInputs, "leaving">>;

/** URLs of API servers, each by its process and host: `karmada-apiserver-1 on host2`. */
export type ApiServers = Readonly<Record<string, string>>;

export interface PlaneVersionsInputs {
  /** Version of Karmada's CRDs, without `v`. */
  readonly karmada: string;
  /** Version of the API server, without `v`. */
  readonly kubernetes: string;
  /** What keeps its data. Absent in the state of older releases. */
  readonly etcd: "managed" | "external";
  /** Where its programs run, and a managed etcd with them. Absent in the state of older releases. */
  readonly placement: PlacementKind;
  /** Whether karmada-controller-manager handles MultiClusterServices. Absent in the state of older releases. */
  readonly multiClusterServices: boolean;
  /** Whether unsupported version steps are allowed. */
  readonly allowDowngrade: boolean;
  /** How its API servers store secrets. @default never encrypted */
  readonly encryption?: "secretbox" | "kms" | "identity";
  /** What is to be encrypted, another value for each new key, and the plugin of a key service. Absent like `encryption`, and in the state of older releases. */
  readonly encrypting?: { readonly resources: readonly string[]; readonly rotate: string; readonly kms?: string };
  /** Resources that API servers are told to encrypt by now: the others follow in the next `up`. Absent like `encrypting`. */
  readonly encrypted?: readonly string[];
  /** What these are told now, as they note it once all of them were. Absent like `encrypting`. */
  readonly told?: string;
  /**
   * URLs of its API servers on hosts, by process and host; none where they are pods, or one on this machine, which end as
   * they are replaced. Absent in the state of older releases.
   */
  readonly servers?: ApiServers;
  /** Not declared: earlier API servers that serve until the `up` ends, or that an interrupted one has not ended. */
  readonly leaving?: ApiServers;
  /** Kubeconfig of a Karmada administrator. */
  readonly karmadaKubeconfig: string;
}

const provider = forwarding("plane-versions-impl");

/**
 * The versions of what writes the control plane's data, and how and where it writes them. It makes nothing: the preview
 * reports a version step that Kubernetes or Karmada do not support, or after which existing data could not be read,
 * would be gone, or could not be deleted; and another way to write while API servers that are taken away still go by the
 * former one. The present versions are asked of the API, since an `up` may have ended
 * halfway; if it does not answer, the last declaration counts.
 */
export class PlaneVersions extends DynamicResource<PlaneVersionsInputs> {
  constructor(name: string, args: PlaneVersionsArgs, opts?: pulumi.CustomResourceOptions) {
    const type = { outputs: [], secretInputs: ["karmadaKubeconfig"] };
    super(provider, { module: "kube", type: "PlaneVersions", ...type }, name, args as never, opts);
  }
}
