import type * as pulumi from "@pulumi/pulumi";
import type { Deployment } from "../spec/deployment.ts";
import { createAddons } from "./addons.ts";
import type { ControlPlane } from "./control-plane.ts";
import { asOfAddon, policiesName } from "./object-names.ts";
import type { OwnMembers } from "./own-members.ts";
import type { Ground } from "./placed.ts";
import { declarePolicies } from "./policies.ts";
import { Sample } from "./sample.ts";

interface ContentsArgs {
  readonly deployment: Deployment<pulumi.Output<string>>;
  readonly ground: Ground;
  readonly controlPlane: ControlPlane;
  readonly members: OwnMembers;
  /** What takes the data of Karmada with it. */
  readonly owner: pulumi.Resource | undefined;
}

/** Puts into a working Karmada and its members what the stack file has for them: addons, policies, the sample. */
export function createContents(name: string, args: ContentsArgs, parent: pulumi.Resource): void {
  const { deployment, ground, controlPlane, members, owner } = args;
  const { gate, controllers, kubeconfig, api } = controlPlane;
  const ending = owner === undefined ? {} : { owner };
  createAddons(
    name,
    deployment.addons,
    {
      karmada: { kubeconfig, needs: [gate, ...controllers], ...ending },
      members: members.ways,
      host: ground.placement.hostCluster,
      pki: ground.pki,
    },
    parent,
  );
  declarePolicies(
    policiesName(name),
    {
      policies: deployment.policies,
      rebalancers: deployment.rebalancers,
      provider: api.provider,
      karmadaKubeconfig: kubeconfig,
      needs: [gate],
      joined: [...controllers, ...members.joined],
      formerly: (object) => [asOfAddon(name, object, parent)],
      ...ending,
    },
    parent,
  );
  if (!deployment.sample) return;
  new Sample(
    `${name}-sample`,
    {
      provider: api.provider,
      members: deployment.members.map((member) => member.name),
      dependsOn: [gate, ...[...members.ways.values()].flatMap(({ needs }) => needs)],
      ...ending,
    },
    { parent },
  );
}
