/**
 * By what else Pulumi may know the estimator of a member. It is declared in one place for a member of the deployment,
 * and in another for one of a team, as the same objects: a member that is handed over keeps it, which would otherwise
 * be deleted under its former name, last of all.
 */
import * as pulumi from "@pulumi/pulumi";

/** Aliases of what belongs to one estimator. */
export interface EstimatorAliases {
  readonly service: pulumi.Alias[];
  readonly process: pulumi.Alias[];
}

export const memberType = "karmada:member:Member";
export const memberName = (name: string, member: string): string => `${name}-member-${member}`;
export const teamsType = "karmada:member:TeamMembers";
export const teamsName = (name: string): string => `${name}-teams`;

/** As of a member of the deployment; `name` and `karmada`: of the whole Karmada. */
export const asOwn = (name: string, member: string, karmada: pulumi.Resource): EstimatorAliases =>
  below(memberType, memberName(name, member), karmada, memberName(name, member));

/** As of a member of a team. */
export const asTeams = (name: string, member: string, karmada: pulumi.Resource): EstimatorAliases =>
  below(teamsType, teamsName(name), karmada, `${teamsName(name)}-${member}`);

function below(type: string, name: string, karmada: pulumi.Resource, ofService: string): EstimatorAliases {
  const parent = pulumi.createUrn(name, type, karmada);
  return { service: [{ name: serviceName(ofService), parent }], process: [{ parent }] };
}

/** Name of the resource of an estimator's Service, by what stands for its member in names. */
export const serviceName = (ofMember: string): string => `${ofMember}-estimator`;
