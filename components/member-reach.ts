import * as pulumi from "@pulumi/pulumi";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { oneContext } from "../lib/kube/one-context.ts";
import type { HostAddress } from "../lib/hosts/address.ts";
import { MemberReach, type ReachedMember } from "../providers/member-reach.ts";
import type { Deployment } from "../spec/deployment.ts";
import type { Plan } from "./karmada-plan.ts";
import type { Placement } from "./placement.ts";
import type { Process } from "./process.ts";

type Settings = Deployment<pulumi.Output<string>>;
type Member = Settings["members"][number];

interface TryMembersArgs {
  readonly deployment: Settings;
  readonly plan: Plan;
  readonly placement: Placement;
}

/**
 * Checks whether members that are to be reached through common networks answer, from where the programs that dial them
 * run. In a host cluster nothing can be tried from there before anything runs.
 */
export function tryMembers(
  name: string,
  { deployment, plan, placement }: TryMembersArgs,
  parent: pulumi.Resource,
): void {
  const { members, controlPlane } = deployment;
  const { controlPlane: programs, fleet } = plan;
  if (!controlPlane.probeMembers || placement.podOf !== undefined) return;
  const dialled = members.flatMap((member) => {
    const agent = fleet.agents.get(member.name);
    const dialers = member.syncMode === "Push" ? programs["karmada-controller-manager"] : agent && [agent];
    return member.fromNetworks && member.proxy === undefined && dialers ? [{ member, dialers }] : [];
  });
  if (dialled.length === 0) return;
  const hosts = new Map(dialled.flatMap(({ dialers }) => dialers.flatMap((each) => hostOf(placement, each))));
  new MemberReach(
    name,
    {
      members: pulumi.all(
        Object.fromEntries(dialled.map(({ member, dialers }) => [member.name, reached(member, dialers, placement)])),
      ),
      hosts: pulumi.all(Object.fromEntries(hosts)),
    },
    { parent },
  );
}

function reached(member: Member, dialers: readonly Process[], placement: Placement): pulumi.Output<ReachedMember> {
  const { syncMode, modeReason } = member;
  const from = [...new Set(dialers.flatMap((dialer) => hostOf(placement, dialer).map(([host]) => host)))];
  return serverOf(member).apply((server) => ({
    syncMode,
    modeReason,
    ...(server !== undefined && { server }),
    ...(from.length > 0 && { from }),
  }));
}

/**
 * If the kubeconfig has a proxy, the server cannot be reached without it; and kubeconfigs kept on hosts are not read
 * for this.
 */
function serverOf({ credentials }: Member): pulumi.Output<string | undefined> {
  switch (credentials.kind) {
    case "kubeconfig": {
      const { kubeconfig, context, server } = credentials;
      const isProxied = (text: string) => parseKubeconfig(oneContext(text, context)).proxyUrl !== undefined;
      return pulumi.unsecret(pulumi.output(kubeconfig).apply((text) => (isProxied(text) ? undefined : server)));
    }
    case "ssh":
      return pulumi.output(credentials.server);
    case "simulated":
      return pulumi.output(undefined);
  }
}

/** Empty if a process runs on this machine. */
function hostOf(placement: Placement, process: Process): [string, pulumi.Output<HostAddress>][] {
  const address = placement.hostOf?.(process);
  const host = placement.hostName?.(process.name);
  return address === undefined || host === undefined ? [] : [[host, address]];
}
