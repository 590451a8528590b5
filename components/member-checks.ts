import type * as pulumi from "@pulumi/pulumi";
import type { Declarer } from "../lib/members/declarer.ts";
import type { Deployment } from "../spec/deployment.ts";
import { declareMembers } from "./declared-members.ts";
import type { Plan } from "./karmada-plan.ts";
import { askMembers } from "./member-apis.ts";
import { tryMembers } from "./member-reach.ts";
import type { OwnMembers } from "./own-members.ts";
import type { Placement } from "./placement.ts";

interface MemberChecksArgs {
  readonly deployment: Deployment<pulumi.Output<string>>;
  readonly declaredBy: Declarer;
  readonly plan: Plan;
  readonly placement: Placement;
  readonly members: OwnMembers;
  readonly karmadaKubeconfig: pulumi.Input<string>;
  /** What takes the data of Karmada with it. */
  readonly owner: pulumi.Resource | undefined;
}

/**
 * What each preview checks of members: whether they can be reached, serve what is placed in them, may join and may
 * leave.
 */
export function checkMembers(name: string, args: MemberChecksArgs, parent: pulumi.Resource): void {
  const { deployment, declaredBy, plan, placement, members, karmadaKubeconfig, owner } = args;
  tryMembers(`${name}-member-reach`, { deployment, plan, placement }, parent);
  if (deployment.controlPlane.probeMembers) {
    const kubeconfigs = new Map([...members.ways].map(([member, { kubeconfig }]) => [member, kubeconfig]));
    const { karmada } = deployment.versions;
    askMembers(`${name}-member-apis`, { placed: deployment, karmada, kubeconfigs }, parent);
  }
  declareMembers(`${name}-declared-members`, { deployment, declaredBy, karmadaKubeconfig, owner }, parent);
}
