import type * as pulumi from "@pulumi/pulumi";
import type { SyncMode, Taint } from "../lib/members/cluster-object.ts";
import type { Declarer } from "../lib/members/declarer.ts";
import type { Seen } from "../lib/members/seen.ts";
import type { TokenHolders } from "../lib/members/token-holders.ts";
import type { ResourceModel } from "../spec/members/resource-models.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export type { Declarer, SyncMode, Taint };

export interface ClusterRegistrationInputs {
  /** The member's name in Karmada. Changing it replaces the registration. */
  readonly cluster: string;
  /** Kubeconfig of a Karmada administrator. */
  readonly karmadaKubeconfig: string;
  /** Kubeconfig of an administrator of the member; its server is the one that the control plane will use too. */
  readonly memberKubeconfig: string;
  /**
   * Push: Karmada reaches into the member. Pull: an agent gets what it needs on the plane, and PulledMember waits for
   * it to make the member ready. Changing it replaces the registration.
   */
  readonly syncMode: SyncMode;
  /** Noted on the Cluster, so that no other stack takes it. Absent in the state of older releases. */
  readonly declaredBy: Declarer;
  /** Removes the note, so that another stack may declare it. @default false */
  readonly handOver?: boolean;
  /** Once it leaves, what Karmada has propagated stays in the member, as its own. @default false */
  readonly preserveWorkloads?: boolean;
  /** For instance `aws`. @default none */
  readonly provider?: string;
  readonly region?: string;
  readonly zones?: string[];
  /** Labels of the Cluster; those that others have put there stay. */
  readonly labels?: Record<string, string>;
  /** Taints of the Cluster; Karmada's own and those of others stay. */
  readonly taints?: Taint[];
  /** Grades of nodes. @default Karmada's own */
  readonly resourceModels?: ResourceModel[];
  /** URL of a proxy by which Karmada reaches the member. @default that of the kubeconfig, or none */
  readonly proxy?: string;
  /** Headers for it, by their names. Secret. */
  readonly proxyHeader?: Record<string, string>;
  /** A value never used before replaces the tokens with which Karmada reaches into the member. */
  readonly rotate?: string;
  /** How old the token may become, for instance `720h`; then the next `up` replaces it. @default any age */
  readonly rotateEvery?: string;
  /** When the token that is due for replacement was made: found by looking into the member, not declared. */
  readonly due?: string;
  /** What a rotation is going to do, in sentences: found, not declared. */
  readonly plan?: string[];
  /**
   * Programs to restart before a token is revoked, and after one has taken the place of one that is gone. Secret.
   * @default none keeps a token
   */
  readonly tokenHolders?: TokenHolders;
  /**
   * Whether such programs belong to another stack, which restarts them: until then no token is revoked. @default false
   */
  readonly heldElsewhere?: boolean;
  /** When the token that those programs are known to use was made, RFC 3339: found, not declared. */
  readonly used?: string;
  /** How long joining and leaving may take, each. */
  readonly timeoutSeconds: number;
}

export interface ClusterRegistrationOutputs {
  /** The member's identity: the UID of its kube-system namespace. */
  readonly uid: string;
  readonly apiEndpoint: string;
  /** UID of the control plane's kube-system namespace; absent in the state of older releases. */
  readonly planeUid?: string;
  /** Changes with endpoint, authority or proxy; absent in the state of older releases. */
  readonly way?: string;
  /**
   * When the token with which Karmada reaches into the member was made, RFC 3339; absent in the state of older
   * releases.
   */
  readonly credentialSince?: string;
  /** When that token was made, RFC 3339, if it replaced another one (see `credentialSince`). */
  readonly tokenReplaced?: string;
  /**
   * When it took the place of another one on the plane, RFC 3339: a later time than before where it did so again, as
   * after a restore.
   */
  readonly tokenWritten?: string;
  /** Kubernetes version of a member in Push mode, for instance `v1.35.3`; empty until Karmada has looked. */
  readonly kubernetesVersion?: string;
  /** Whether a member in Push mode is ready. */
  readonly ready?: boolean;
  /** State of a member in Push mode when last observed; absent in the state of older releases. */
  readonly seen?: Seen;
  /** UID of the Cluster of a member in Pull mode. */
  readonly registered?: string;
}

const provider = forwarding("cluster-registration-impl");

/**
 * A member cluster, joined as `karmadactl join` does and found ready, or in Pull mode registered with the plane so that
 * its agent can take over. Whatever exists already is corrected.
 *
 * Deleting it deletes in the member what Karmada propagated there, unless that is to stay, and everything Karmada
 * made for itself. A member that does not answer is removed from the plane; what could not be deleted in it is
 * reported.
 */
export class ClusterRegistration extends DynamicResource<ClusterRegistrationInputs> {
  declare readonly cluster: pulumi.Output<string>;
  declare readonly syncMode: pulumi.Output<string>;
  declare readonly uid: pulumi.Output<string>;
  declare readonly apiEndpoint: pulumi.Output<string>;
  declare readonly planeUid: pulumi.Output<string | undefined>;
  declare readonly way: pulumi.Output<string | undefined>;
  declare readonly credentialSince: pulumi.Output<string | undefined>;
  declare readonly tokenReplaced: pulumi.Output<string | undefined>;
  declare readonly tokenWritten: pulumi.Output<string | undefined>;
  declare readonly kubernetesVersion: pulumi.Output<string | undefined>;
  declare readonly ready: pulumi.Output<boolean | undefined>;
  declare readonly seen: pulumi.Output<Seen | undefined>;
  declare readonly registered: pulumi.Output<string | undefined>;

  constructor(name: string, args: ClusterRegistrationArgs, opts?: pulumi.CustomResourceOptions) {
    const outputs = [
      "uid",
      "apiEndpoint",
      "planeUid",
      "way",
      "credentialSince",
      "tokenReplaced",
      "tokenWritten",
      "kubernetesVersion",
      "ready",
      "seen",
      "registered",
    ];
    const secretInputs = ["karmadaKubeconfig", "memberKubeconfig", "proxyHeader", "tokenHolders"];
    // Proxy headers may hold secrets.
    const secretOutputs = ["way"];
    const type = { outputs, secretInputs, secretOutputs, deleteBeforeReplace: true };
    super(provider, { module: "members", type: "ClusterRegistration", ...type }, name, args, opts);
  }
}

export type ClusterRegistrationArgs = AsInputs<ClusterRegistrationInputs>;
