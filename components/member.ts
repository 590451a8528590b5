import * as pulumi from "@pulumi/pulumi";
import { ClusterRegistration } from "../providers/cluster-registration.ts";
import type { Deployment } from "../spec/deployment.ts";

/** A member as the stack file describes it. */
export type MemberSettings = Deployment<pulumi.Output<string>>["members"][number];

export interface MemberArgs {
  readonly member: Omit<MemberSettings, "credentials">;
  /** Of the member, with every right. */
  readonly memberKubeconfig: pulumi.Input<string>;
  /** Of the Karmada API, with every right. */
  readonly karmadaKubeconfig: pulumi.Input<string>;
  /** What makes members Ready, and what the member must have to be joined. */
  readonly needs: readonly pulumi.Resource[];
  /** What takes member and Karmada with it when it is deleted. @default nothing: the cluster is taken out in order */
  readonly owner?: pulumi.Resource;
}

/** What is told of a member. */
export interface MemberState {
  readonly name: string;
  readonly syncMode: string;
  readonly kubernetesVersion: string;
  readonly ready: boolean;
  readonly apiEndpoint: string;
  /** UID of its kube-system namespace: what makes it this cluster and no other. */
  readonly uid: string;
}

/**
 * A cluster that Karmada manages. Deleting it takes the cluster out of Karmada, and with it everything Karmada put into
 * the cluster; what the cluster had of its own stays.
 */
export class Member extends pulumi.ComponentResource {
  readonly state: pulumi.Output<MemberState>;
  readonly registration: pulumi.Resource;

  constructor(name: string, args: MemberArgs, opts: pulumi.ComponentResourceOptions) {
    super("karmada:member:Member", name, {}, opts);
    const { member, owner } = args;
    const registration = new ClusterRegistration(
      `${name}-registration`,
      {
        cluster: member.name,
        karmadaKubeconfig: args.karmadaKubeconfig,
        memberKubeconfig: args.memberKubeconfig,
        syncMode: member.syncMode,
        ...(member.provider === undefined ? {} : { provider: member.provider }),
        ...(member.region === undefined ? {} : { region: member.region }),
        zones: [...member.zones],
        labels: { ...member.labels },
        taints: member.taints.map((taint) => ({ ...taint })),
        timeoutSeconds: 120,
      },
      { parent: this, dependsOn: [...args.needs], ...(owner === undefined ? {} : { deletedWith: owner }) },
    );
    const { kubernetesVersion, ready, apiEndpoint, uid } = registration;
    this.registration = registration;
    this.state = pulumi.output({
      name: member.name,
      syncMode: member.syncMode,
      kubernetesVersion,
      ready,
      apiEndpoint,
      uid,
    });
    this.registerOutputs({});
  }
}
