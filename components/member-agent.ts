/**
 * What belongs to the agent of a member in Pull mode: its certificate, its access to the control plane, its place in
 * the member.
 */
import * as pulumi from "@pulumi/pulumi";
import { AgentCertificate } from "../providers/agent-certificate.ts";
import { AgentHome } from "../providers/agent-home.ts";
import { seconds } from "../spec/values/units.ts";
import { groundOf, type MemberArgs, timeoutSeconds } from "./member-args.ts";
import { renderKubeconfig } from "./pki/kubeconfig.ts";
import type { FileContents } from "./placement.ts";
import { type InMember, placeInMember } from "./placement/in-member.ts";
import type { Process } from "./process.ts";
import { frontOfApi } from "./processes/control-plane.ts";
import { agentCertificate, planeConfig } from "./processes/karmada-agent.ts";

/** Whose agent, and what its resources have in common; `opts` has their parent. */
export interface OfMember {
  readonly args: MemberArgs;
  readonly opts: pulumi.CustomResourceOptions & { readonly dependsOn: readonly pulumi.Resource[] };
}

/** An agent that runs in its member. */
export interface HousedAgent extends OfMember {
  readonly agent: Process;
  readonly settings: InMember;
  /** Set if it is not issued by the Pki. */
  readonly certificate: AgentCertificate | undefined;
}

/** Runs the agent in its member. Deleting it removes everything it had there. */
export function houseAgent(name: string, { args, opts, agent, settings, certificate }: HousedAgent) {
  const { deployment, declaredBy, member, plane, karmadaKubeconfig, memberKubeconfig } = args;
  const follows = plane.restored === undefined ? undefined : pulumi.output(plane.restored);
  const { namespace, nodeSelector, tolerations } = settings;
  const home = new AgentHome(
    `${name}-agent-home`,
    {
      cluster: member.name,
      namespace,
      deployment,
      declaredBy,
      karmadaKubeconfig,
      memberKubeconfig,
      pods: { nodeSelector: { ...nodeSelector }, tolerations: tolerations.map((each) => ({ ...each })) },
      timeoutSeconds,
    },
    opts,
  );
  const files = wayToPlane(args, settings.server ?? plane.server, certificate);
  return placeInMember(
    name,
    { agent, files, settings, home, memberKubeconfig, follows },
    {
      ...(opts.parent && { parent: opts.parent }),
      ...(opts.retainOnDelete !== undefined && { retainOnDelete: opts.retainOnDelete }),
    },
  );
}

/** A certificate for the agent, signed by the control plane on request. */
export function certifyAgent(name: string, { args, opts }: OfMember): AgentCertificate {
  const { member, plane, karmadaKubeconfig, lifetimes } = args;
  return new AgentCertificate(
    `${name}-agent-certificate`,
    {
      cluster: member.name,
      karmadaKubeconfig,
      authority: plane.authority,
      validSeconds: seconds(lifetimes.certificateValidity),
      renewBeforeSeconds: seconds(lifetimes.renewBefore),
      timeoutSeconds,
    },
    opts,
  );
}

/**
 * The kubeconfig with which the agent reaches the control plane, as its file. Secret. @param made its certificate, if
 * it is not issued by the Pki
 */
export function wayToPlane(args: MemberArgs, server: string, made: AgentCertificate | undefined): FileContents {
  const user = agentCertificate(args.member.name);
  if (made === undefined) return { [planeConfig]: groundOf(args).pki.kubeconfig(user, frontOfApi.authority, server) };
  const kubeconfig = pulumi
    .all([args.plane.authority, made.certificate, made.key])
    .apply(([authority, certificate, key]) => renderKubeconfig({ user, server, authority, certificate, key }));
  return { [planeConfig]: kubeconfig };
}
