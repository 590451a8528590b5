import type * as pulumi from "@pulumi/pulumi";
import type { Purpose } from "../lib/members/accounts.ts";
import type { Declarer } from "../lib/members/declarer.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface MemberAccessInputs {
  /** The member's name in Karmada. Changing it replaces. */
  readonly cluster: string;
  /** What the account is for; its rights follow from it. Changing it replaces. */
  readonly purpose: Exclude<Purpose, "plane">;
  /** Nothing is written into the member of another stack. */
  readonly declaredBy: Declarer;
  /** Kubeconfig for the Karmada API: nothing is written into a member that cannot join it. */
  readonly karmadaKubeconfig: string;
  /** Kubeconfig of an administrator of the member; its server is the one that the account's kubeconfig leads to. */
  readonly memberKubeconfig: string;
  /** URL of a proxy by which the program reaches the member. @default that of the kubeconfig, or none */
  readonly proxy?: string;
  /** A value never used before replaces the token; SupersededTokens revokes the previous one. */
  readonly rotate?: string;
  /** How old the token may become, for instance `720h`; then the next `up` replaces it. @default any age */
  readonly rotateEvery?: string;
  /** When the token that is due for replacement was made: found by looking into the member, not declared. */
  readonly due?: string;
  /** What a rotation is going to do, in sentences: found, not declared. */
  readonly plan?: string[];
  /** How long it may take. */
  readonly timeoutSeconds: number;
}

export interface MemberAccessOutputs {
  /** Kubeconfig of the account. Secret. */
  readonly kubeconfig: string;
  /** UID of the member's kube-system: if its kubeconfig leads to another cluster by then, nothing is deleted there. */
  readonly uid: string;
  /** UID of the control plane's kube-system namespace; absent in the state of older releases. */
  readonly planeUid?: string;
}

const provider = forwarding("member-access-impl");

/**
 * A service account in a member for one program, and a kubeconfig for it, so that no program is given an
 * administrator's. Deleting it removes the account; in a member that does not answer it stays, which is reported.
 */
export class MemberAccess extends DynamicResource<MemberAccessInputs> {
  declare readonly kubeconfig: pulumi.Output<string>;
  declare readonly uid: pulumi.Output<string>;
  declare readonly planeUid: pulumi.Output<string | undefined>;

  constructor(name: string, args: AsInputs<MemberAccessInputs>, opts?: pulumi.CustomResourceOptions) {
    super(
      provider,
      {
        module: "members",
        type: "MemberAccess",
        outputs: ["kubeconfig", "uid", "planeUid"],
        secretInputs: ["karmadaKubeconfig", "memberKubeconfig"],
        secretOutputs: ["kubeconfig"],
        deleteBeforeReplace: true,
      },
      name,
      args,
      opts,
    );
  }
}
