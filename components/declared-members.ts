import * as pulumi from "@pulumi/pulumi";
import { oneContext } from "../lib/kube/one-context.ts";
import type { Declarer } from "../lib/members/declarer.ts";
import { wayDigest } from "../lib/members/way-digest.ts";
import { DeclaredMembers } from "../providers/declared-members.ts";
import type { Deployment } from "../spec/deployment.ts";
import { policyTitle } from "../spec/policies/policies.ts";
import { policyName } from "./addon-policy.ts";
import { samplePolicy } from "./sample.ts";

interface DeclareMembersArgs {
  /** The stack's members, and what names them. */
  readonly deployment: Pick<
    Deployment<pulumi.Output<string>>,
    "addons" | "members" | "membersMayLeave" | "policies" | "sample"
  >;
  readonly declaredBy: Declarer;
  readonly karmadaKubeconfig: pulumi.Input<string>;
  /** Takes the data of Karmada with it. @default nothing: it is declared elsewhere */
  readonly owner?: pulumi.Resource | undefined;
}

/**
 * Declares which members are this stack's, so that a name another stack owns is refused, and a member that policies
 * still need cannot leave. A member with `handOver` may leave. Policies of this stack are passed along, since their
 * future is known.
 */
export function declareMembers(
  name: string,
  { deployment, declaredBy, karmadaKubeconfig, owner }: DeclareMembersArgs,
  parent: pulumi.Resource,
): void {
  const letGo = deployment.members.flatMap(({ name: member, handOver }) => (handOver ? [member] : []));
  const preserved = deployment.members.flatMap(({ name: member, preserveWorkloads }) =>
    preserveWorkloads ? [member] : [],
  );
  const propagated = deployment.addons.filter(({ target }) => target.kind === "propagated");
  const kubeconfigs = deployment.members.flatMap(({ name: member, credentials }) =>
    credentials.kind === "kubeconfig" ? [[member, digestOf(credentials.kubeconfig, credentials.context)] as const] : [],
  );
  const inputs = {
    members: deployment.members.map((member) => member.name).filter((member) => !letGo.includes(member)),
    declaredBy,
    mayLeave: [...deployment.membersMayLeave, ...letGo],
    ...(preserved.length > 0 && { preserved }),
    ...(kubeconfigs.length > 0 && { kubeconfigs: pulumi.output(Object.fromEntries(kubeconfigs)) }),
    policies: [
      ...deployment.policies.map(policyTitle),
      ...propagated.map((addon) => `ClusterPropagationPolicy ${policyName(addon.name)}`),
      ...(deployment.sample ? [samplePolicy] : []),
    ],
    karmadaKubeconfig,
  };
  new DeclaredMembers(name, inputs, { parent, ...(owner && { deletedWith: owner }) });
}

const digestOf = (kubeconfig: pulumi.Output<string>, context: string | undefined): pulumi.Output<string> =>
  kubeconfig.apply((text) => wayDigest(oneContext(text, context)));
