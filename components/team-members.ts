import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { TokensInUse } from "../providers/tokens-in-use.ts";
import type { Deployment } from "../spec/deployment.ts";
import { asOwn, type EstimatorAliases, teamsName, teamsType } from "./estimator-aliases.ts";
import type { FoundEstimator } from "./estimators-in-use.ts";
import { createEstimatorService } from "./karmada-api/estimator-service.ts";
import { onlyKnown } from "./only-known.ts";
import type { Ground } from "./placed.ts";
import type { Process } from "./process.ts";
import { memberConfig } from "./processes/karmada-agent.ts";

interface TeamMembersArgs {
  readonly members: Deployment<pulumi.Output<string>>["teamMembers"];
  /** By the member. */
  readonly estimators: ReadonlyMap<string, Process>;
  readonly ground: Ground;
  /** Programs that keep using the token of a member that they first read. */
  readonly tokenHolders: readonly string[];
  /** For objects in the Karmada API. */
  readonly provider: k8s.Provider;
  readonly karmadaKubeconfig: pulumi.Input<string>;
  /** What members need of the control plane. */
  readonly needs: readonly pulumi.Resource[];
  /** What starts the same programs again for another reason: they do that once at a time. */
  readonly after: readonly pulumi.Resource[];
  /** Takes the data of Karmada with it. */
  readonly owner: pulumi.Resource | undefined;
}

/** Creates what the control plane runs for members of other stacks; nothing when there are none. `name`: of Karmada. */
export const serveTeams = (name: string, args: TeamMembersArgs, parent: pulumi.Resource): TeamMembers | undefined =>
  args.members.length === 0 ? undefined : new TeamMembers(name, args, parent);

/**
 * What runs here for members of other stacks: estimators, with accounts that those stacks have made. Once everything
 * here has the new tokens those stacks may revoke the old ones.
 */
export class TeamMembers extends pulumi.ComponentResource {
  /** Version of each process, as the program reports it. */
  readonly versions: Record<string, pulumi.Output<string>> = {};
  readonly estimators: readonly FoundEstimator[];

  constructor(karmada: string, args: TeamMembersArgs, parent: pulumi.Resource) {
    const name = teamsName(karmada);
    super(teamsType, name, {}, { parent });
    const { members, ground, needs, karmadaKubeconfig } = args;
    this.estimators = members.flatMap((member) =>
      this.estimate(name, member, args, asOwn(karmada, member.name, parent)),
    );
    const tokens = byName(members, ({ replaced }) => replaced);
    const written = byName(members, (member) => member.written);
    if (Object.keys(tokens).length > 0) {
      const runtime = pulumi.output(ground.placement.etcdRuntime());
      new TokensInUse(
        `${name}-tokens-in-use`,
        {
          tokens,
          ...(Object.keys(written).length > 0 && { written }),
          karmadaKubeconfig,
          tokenHolders: runtime.apply((where) => ({ runtime: where, programs: args.tokenHolders })),
        },
        { parent: this, dependsOn: [...needs, ...args.after, ...this.estimators.map(({ program }) => program)] },
      );
    }
    this.registerOutputs({});
  }

  /** Its Service comes first: the scheduler looks for it as soon as there is an estimator to ask. */
  private estimate(
    name: string,
    { name: member, estimator: kubeconfig }: TeamMembersArgs["members"][number],
    { estimators, ground: { placement, pki, restored }, provider, needs, owner }: TeamMembersArgs,
    aliases: EstimatorAliases,
  ): FoundEstimator[] {
    const process = estimators.get(member);
    if (process === undefined || kubeconfig === undefined) return [];
    const dependsOn = [...needs];
    const ending = owner === undefined ? {} : { deletedWith: owner };
    const service = createEstimatorService(`${name}-${member}`, member, placement, process, {
      parent: this,
      provider,
      dependsOn,
      aliases: aliases.service,
      ...ending,
    });
    const files = { ...pki.fileContents(process), [memberConfig]: kubeconfig };
    const opts = { parent: this, dependsOn, aliases: aliases.process };
    const { resource, version } = placement.place(process, files, opts, restored);
    this.versions[process.name] = version;
    return [{ member, process, service, program: resource }];
  }
}

/** What is said of the members of which it is known. */
const byName = (
  members: TeamMembersArgs["members"],
  of: (member: TeamMembersArgs["members"][number]) => string | undefined,
): Record<string, string> => onlyKnown(Object.fromEntries(members.map((member) => [member.name, of(member)])));
