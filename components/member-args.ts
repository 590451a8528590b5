import type * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Declarer } from "../lib/members/declarer.ts";
import type { Deployment } from "../spec/deployment.ts";
import type { EstimatorAliases } from "./estimator-aliases.ts";
import type { Ground } from "./placed.ts";
import type { Process } from "./process.ts";

/** A member as the stack file describes it. */
export type MemberSettings = Deployment<pulumi.Output<string>>["members"][number];

/** What agents need to reach the control plane. */
export interface WayToPlane {
  /** URL of its API, for members. */
  readonly server: string;
  /** The authority of the API and of what it signs, PEM. */
  readonly authority: pulumi.Input<string>;
  /** Changes with each restore, after which agents are restarted. @default there was none */
  readonly restored?: pulumi.Input<string>;
}

/** What a member is made of. */
export interface MemberArgs {
  /** Name of the deployment. */
  readonly deployment: string;
  readonly declaredBy: Declarer;
  /** Lifetimes of certificates. */
  readonly lifetimes: Pick<Deployment<unknown>["pki"], "certificateValidity" | "renewBefore">;
  readonly member: Omit<MemberSettings, "credentials">;
  readonly plane: WayToPlane;
  /** Where its programs beside the control plane run. @default none may run there */
  readonly ground?: Ground;
  /** Agent of a member in Pull mode; undefined in Push mode. */
  readonly agent: Process | undefined;
  /** Estimates the member's capacity; absent if estimators are switched off. */
  readonly estimator?: Process | undefined;
  /** By what else Pulumi may know that. @default nothing */
  readonly estimatorAliases?: EstimatorAliases;
  /** Whether another stack runs one: an account is made for it. @default false */
  readonly estimatedElsewhere?: boolean;
  /** Programs that keep using the token of the member that they first read. @default none */
  readonly tokenHolders?: readonly string[];
  /** Whether they belong to another stack, which restarts them. @default false */
  readonly heldElsewhere?: boolean;
  /** For objects in the Karmada API. */
  readonly provider: k8s.Provider;
  /** Kubeconfig of the member, with every right. */
  readonly memberKubeconfig: pulumi.Input<string>;
  /** Kubeconfig for the Karmada API, with every right. */
  readonly karmadaKubeconfig: pulumi.Input<string>;
  /** What makes members Ready, and what the member needs to be joined. */
  readonly needs: readonly pulumi.Resource[];
  /** Takes member and Karmada with it when it is deleted. @default nothing: the cluster leaves in order */
  readonly owner?: pulumi.Resource;
  /** Takes the data of Karmada with it. @default nothing: objects there are deleted one by one */
  readonly dataOwner?: pulumi.Resource | undefined;
}

/** For each of joining, becoming ready and leaving. */
export const timeoutSeconds = 120;

/**
 * Where a member's programs beside the control plane run. @throws when none may run there, which checks of the stack
 * file rule out
 */
export function groundOf({ ground, member }: MemberArgs): Ground {
  if (ground === undefined) throw new Error(`${member.name}: it has no place beside the control plane`);
  return ground;
}
