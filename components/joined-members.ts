import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { MembersProgram } from "../spec/members-program.ts";
import { declareMembers } from "./declared-members.ts";
import { memberName } from "./estimator-aliases.ts";
import { agentOf, planAgents } from "./fleet.ts";
import { mergedOutputs } from "./merged-outputs.ts";
import { askMembers } from "./member-apis.ts";
import { Member } from "./member.ts";
import { memberKubeconfigs } from "./member-kubeconfigs.ts";
import type { MemberState } from "./member-state.ts";
import { policiesName } from "./object-names.ts";
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

  constructor(name: string, { config, kubeconfig }: JoinedMembersArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("karmada:member:JoinedMembers", name, {}, opts);
    const { plane } = config;
    const declaredBy = `members/${config.name}` as const;
    const provider = new k8s.Provider(
      `${name}-karmada`,
      {
        kubeconfig,
        // Known from the first preview and constant: a change would replace the provider.
        clusterIdentifier: plane.deployment,
        enableServerSideApply: true,
        // A killed run may have created what its state does not know.
        upsertExistingObjects: true,
      },
      { parent: this },
    );
    const agents = planAgents(config.members, plane.agent);
    const kubeconfigs = memberKubeconfigs(name, config.members, new Map(), this);
    const members = config.members.map(
      (member) =>
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
            karmadaKubeconfig: kubeconfig,
            memberKubeconfig: kubeconfigs.get(member.name)!,
            needs: [],
            estimatedElsewhere: plane.estimates && config.served,
            heldElsewhere: true,
          },
          { parent: this },
        ),
    );
    const joined = members.map((member) => member.joined);
    const { policies, rebalancers } = config;
    declarePolicies(
      policiesName(name),
      { policies, rebalancers, provider, karmadaKubeconfig: kubeconfig, needs: [], joined },
      this,
    );
    const deployment = { ...config, addons: [], sample: false };
    askMembers(`${name}-member-apis`, { placed: deployment, karmada: plane.karmada, kubeconfigs }, this);
    declareMembers(`${name}-declared-members`, { deployment, declaredBy, karmadaKubeconfig: kubeconfig }, this);
    this.members = pulumi.all(members.map(({ state }) => state));
    const byName = <T>(of: (member: Member) => T | undefined) =>
      Object.fromEntries(
        config.members.flatMap(({ name: member }, i) => {
          const value = of(members[i]!);
          return value === undefined ? [] : [[member, value]];
        }),
      );
    this.estimators = pulumi.secret(byName(({ estimatorKubeconfig }) => estimatorKubeconfig));
    this.replacedTokens = pulumi.output(byName(({ tokenReplaced }) => tokenReplaced)).apply(onlyKnown);
    this.writtenTokens = pulumi.output(byName(({ tokenWritten }) => tokenWritten)).apply(onlyKnown);
    this.ways = pulumi.secret(pulumi.output(byName(({ way }) => way)).apply(onlyKnown));
    this.versions = mergedOutputs(members.map(({ versions }) => versions));
    this.certificates = mergedOutputs(members.map(({ certificates }) => certificates));
    this.registerOutputs({});
  }
}

const onlyKnown = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
