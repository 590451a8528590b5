import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Declarer } from "../lib/members/declarer.ts";
import type { MembersProgram } from "../spec/members-program.ts";
import { clusterProvider } from "./cluster-provider.ts";
import { declareMembers } from "./declared-members.ts";
import { memberName } from "./estimator-aliases.ts";
import { agentOf, planAgents } from "./fleet.ts";
import { mergedOutputs } from "./merged-outputs.ts";
import { askMembers } from "./member-apis.ts";
import { Member } from "./member.ts";
import { memberKubeconfigs } from "./member-kubeconfigs.ts";
import type { MemberState } from "./member-state.ts";
import { policiesName } from "./object-names.ts";
import { onlyKnown } from "./only-known.ts";
import { declarePolicies } from "./policies.ts";

/** Which members join, and how the Karmada API is reached. */
export interface JoinedMembersArgs {
  readonly config: MembersProgram<pulumi.Output<string>>;
  /** Kubeconfig for the Karmada API, with every right. */
  readonly kubeconfig: pulumi.Output<string>;
}

/**
 * Members of a control plane that is declared elsewhere, and policies for them. Nothing runs beside the control plane for them.
 * Deleting it takes them out of Karmada, one by one.
 */
export class JoinedMembers extends pulumi.ComponentResource {
  readonly members: pulumi.Output<MemberState[]>;
  /** Kubeconfigs for the estimators of its members, by the member. Secret. */
  readonly estimators: pulumi.Output<Record<string, string>>;
  /** When the control plane's replacement tokens were made, RFC 3339, by member. */
  readonly replacedTokens: pulumi.Output<Record<string, string>>;
  /** When those took the place of others there, RFC 3339, by member. */
  readonly writtenTokens: pulumi.Output<Record<string, string>>;
  /** Each changes when the control plane is to reach its member differently, by the member. Secret. */
  readonly ways: pulumi.Output<Record<string, string>>;
  /** Version of each process, as the program reports it. */
  readonly versions: pulumi.Output<Record<string, string>>;
  /** End of each certificate by name, RFC 3339. */
  readonly certificates: pulumi.Output<Record<string, string>>;

  constructor(name: string, args: JoinedMembersArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("karmada:member:JoinedMembers", name, {}, opts);
    const { config, kubeconfig: karmadaKubeconfig } = args;
    const { plane, policies, rebalancers } = config;
    const declaredBy = `members/${config.name}` as const;
    const provider = clusterProvider(
      `${name}-karmada`,
      { kubeconfig: karmadaKubeconfig, clusterIdentifier: plane.deployment },
      { parent: this },
    );
    const kubeconfigs = memberKubeconfigs(name, config.members, new Map(), this);
    const members = this.join(name, args, { declaredBy, provider, kubeconfigs });
    const each = [...members.values()];
    const joined = each.map((member) => member.joined);
    declarePolicies(
      policiesName(name),
      { policies, rebalancers, provider, karmadaKubeconfig, needs: [], joined },
      this,
    );
    const deployment = { ...config, addons: [], sample: false };
    askMembers(`${name}-member-apis`, { placed: deployment, karmada: plane.karmada, kubeconfigs }, this);
    declareMembers(`${name}-declared-members`, { deployment, declaredBy, karmadaKubeconfig }, this);
    const byName = <T>(of: (member: Member) => T | undefined) =>
      onlyKnown(Object.fromEntries([...members].map(([member, joined]) => [member, of(joined)])));
    this.members = pulumi.all(each.map(({ state }) => state));
    this.estimators = pulumi.secret(byName(({ estimatorKubeconfig }) => estimatorKubeconfig));
    this.replacedTokens = pulumi.output(byName(({ tokenReplaced }) => tokenReplaced)).apply(onlyKnown);
    this.writtenTokens = pulumi.output(byName(({ tokenWritten }) => tokenWritten)).apply(onlyKnown);
    this.ways = pulumi.secret(pulumi.output(byName(({ way }) => way)).apply(onlyKnown));
    this.versions = mergedOutputs(each.map(({ versions }) => versions));
    this.certificates = mergedOutputs(each.map(({ certificates }) => certificates));
    this.registerOutputs({});
  }

  /** Registers each of them. @returns them by name, in their order */
  private join(
    name: string,
    { config, kubeconfig: karmadaKubeconfig }: JoinedMembersArgs,
    { declaredBy, provider, kubeconfigs }: Joining,
  ): ReadonlyMap<string, Member> {
    const { plane, served } = config;
    const agents = planAgents(config.members, plane.agent);
    return new Map(
      config.members.map((member) => [
        member.name,
        new Member(
          memberName(name, member.name),
          {
            deployment: plane.deployment,
            declaredBy,
            lifetimes: plane.lifetimes,
            member,
            plane,
            agent: agentOf(agents, member.name),
            provider,
            karmadaKubeconfig,
            memberKubeconfig: kubeconfigs.get(member.name)!,
            needs: [],
            estimatedElsewhere: plane.estimates && served,
            heldElsewhere: true,
          },
          { parent: this },
        ),
      ]),
    );
  }
}

/** What all of them join with. */
interface Joining {
  readonly declaredBy: Declarer;
  /** For objects in the Karmada API. */
  readonly provider: k8s.Provider;
  /** Of an administrator of each member, by its name. */
  readonly kubeconfigs: ReturnType<typeof memberKubeconfigs>;
}
