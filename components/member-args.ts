import type * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Declarer } from "../lib/members/declarer.ts";
import type { Deployment } from "../spec/deployment.ts";
import type { Ground } from "./placed.ts";
import type { Process } from "./process.ts";

/** A member as the stack file describes it. */
export type MemberSettings = Deployment<pulumi.Output<string>>["members"][number];

/** What agents go by to come to the control plane. */
export interface WayToPlane {
  /** URL of its API, for members. */
  readonly server: string;
  /** What is trusted for it, and for what it signs, PEM. */
  readonly authority: pulumi.Input<string>;
  /** Changes with each restore, after which agents start again. @default there was none */
  readonly restored?: pulumi.Input<string>;
}

/** What a member is made of. */
export interface MemberArgs {
  /** Name of the deployment. */
  readonly deployment: string;
  readonly declaredBy: Declarer;
  /** Of certificates. */
  readonly lifetimes: Pick<Deployment<unknown>["pki"], "certificateValidity" | "renewBefore">;
  readonly member: Omit<MemberSettings, "credentials">;
  readonly plane: WayToPlane;
  /** Where what serves it beside the control plane runs. @default nothing may run there */
  readonly ground?: Ground;
  /** Of a member in Pull mode. */
  readonly agent: Process | undefined;
  /** Counts what the member has room for; none where estimators are switched off. */
  readonly estimator?: Process | undefined;
  /** Whether one runs that another stack has: an account is made for it. @default false */
  readonly estimatedElsewhere?: boolean;
  /** Programs that go on with the token of the member that they have read once. @default none does */
  readonly tokenHolders?: readonly string[];
  /** Whether they are those of another stack, which starts them again. @default false */
  readonly heldElsewhere?: boolean;
  /** For objects in the Karmada API. */
  readonly provider: k8s.Provider;
  /** Of the member, with every right. */
  readonly memberKubeconfig: pulumi.Input<string>;
  /** Of the Karmada API, with every right. */
  readonly karmadaKubeconfig: pulumi.Input<string>;
  /** What makes members Ready, and what the member must have to be joined. */
  readonly needs: readonly pulumi.Resource[];
  /** What takes member and Karmada with it when it is deleted. @default nothing: the cluster is taken out in order */
  readonly owner?: pulumi.Resource;
  /** What takes the data of Karmada with it. @default nothing: objects there are deleted one by one */
  readonly dataOwner?: pulumi.Resource | undefined;
}

/** For each of joining, becoming ready and leaving. */
export const timeoutSeconds = 120;

/** Where what serves a member beside the control plane runs. @throws when nothing may run there: the stack file is checked for it */
export function groundOf({ ground, member }: MemberArgs): Ground {
  if (ground === undefined) throw new Error(`${member.name}: it has no place beside the control plane`);
  return ground;
}
