import type * as pulumi from "@pulumi/pulumi";
import type { Taint } from "../lib/members/cluster-object.ts";
import { DynamicResource, forwarding } from "./dynamic.ts";

export type { Taint };

export interface ClusterRegistrationInputs {
  /** The member's name in Karmada. Changing it replaces the registration. */
  readonly cluster: string;
  /** Of an administrator of the Karmada API. */
  readonly karmadaKubeconfig: string;
  /** Of an administrator of the member; its server is what the control plane will use too. */
  readonly memberKubeconfig: string;
  /** Karmada reaches into the member. Changing it replaces the registration. */
  readonly syncMode: "Push";
  /** For instance `aws`. @default none */
  readonly provider?: string;
  readonly region?: string;
  readonly zones?: string[];
  /** Of the Cluster; labels that others have put there stay. */
  readonly labels?: Record<string, string>;
  /** Of the Cluster; Karmada's own and others' stay. */
  readonly taints?: Taint[];
  /** How long joining and leaving may take, each. */
  readonly timeoutSeconds: number;
}

export interface ClusterRegistrationOutputs {
  /** The member's identity: the UID of its kube-system namespace. */
  readonly uid: string;
  /** For instance `v1.35.3`; empty until Karmada has looked. */
  readonly kubernetesVersion: string;
  readonly ready: boolean;
  readonly apiEndpoint: string;
}

const provider = forwarding("cluster-registration-impl");

/**
 * A member cluster, joined as `karmadactl join` does it and found ready. Whatever is there already is put right.
 *
 * Deleting it deletes in the member what Karmada has propagated there, and everything Karmada made for itself. A member that
 * does not answer is taken off the plane; what could not be deleted in it is reported.
 */
export class ClusterRegistration extends DynamicResource<ClusterRegistrationInputs> {
  declare readonly cluster: pulumi.Output<string>;
  declare readonly syncMode: pulumi.Output<string>;
  declare readonly uid: pulumi.Output<string>;
  declare readonly kubernetesVersion: pulumi.Output<string>;
  declare readonly ready: pulumi.Output<boolean>;
  declare readonly apiEndpoint: pulumi.Output<string>;

  constructor(name: string, args: ClusterRegistrationArgs, opts?: pulumi.CustomResourceOptions) {
    const outputs = ["uid", "kubernetesVersion", "ready", "apiEndpoint"];
    const secretInputs = ["karmadaKubeconfig", "memberKubeconfig"];
    super(provider, { module: "members", type: "ClusterRegistration", outputs, secretInputs }, name, args, opts);
  }
}

export type ClusterRegistrationArgs = {
  readonly [K in keyof ClusterRegistrationInputs]: pulumi.Input<ClusterRegistrationInputs[K]>;
};
