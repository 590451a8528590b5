import type * as pulumi from "@pulumi/pulumi";
import type { EtcdAccess } from "../components/etcd-access.ts";
import { createRestore, lookAfterRestore } from "../components/restore.ts";
import { restoreOfPart } from "../components/restore-settings.ts";
import type { RestoreProgram } from "../spec/restore-program.ts";
import { DeploymentStack } from "./deployment-stack.ts";
import { restorable } from "./restorable.ts";

/**
 * Restores a snapshot into a deployment that another stack declares, at the addresses it has: its programs are stopped,
 * its etcd gets the snapshot's data, its programs are started again. The other stack's next `up` finds nothing to do.
 * What needs other addresses or other members is declared there instead, as `etcd.restore`.
 */
export async function restoreStack({ deployment, restore, snapshots }: RestoreProgram<pulumi.Output<string>>) {
  const stack = new DeploymentStack(deployment, "deployment");
  // Beside an etcd by itself there is no Karmada to look at.
  const hasPlane = (await stack.value("kubeconfig")) !== undefined || (await stack.value("etcdClient")) === undefined;
  const access = stack.output<EtcdAccess>("etcdAccess");
  const ours = access.apply((all) => restorable(all, restore, stack.name));
  const common = {
    deployment: access.deployment,
    etcdVersion: access.etcdVersion,
    snapshots,
    runtime: ours.runtime,
    ca: access.ca,
    certificate: access.certificate,
    key: access.key,
    keyPrefix: access.prefix,
    programs: ours.programs,
  };
  const parts = Object.keys(restore.overrides).flatMap((part) => {
    const settings = restoreOfPart(restore, part);
    if (settings === undefined) return [];
    const members = ours.apply(({ parts: { [part]: found = [] } }) => found);
    return createRestore(`restore-${part}`, { ...common, part, settings, members, resume: false }, {});
  });
  // The programs start again once all of it is there.
  const restored = createRestore(
    "restore",
    { ...common, settings: restore, members: ours.members, resume: true },
    { dependsOn: parts },
  );
  const afterRestore = hasPlane && afterRestoreOf(stack, restore, restored);
  return {
    clusterId: restored.clusterId,
    previousClusterId: restored.previousClusterId,
    revision: restored.revision,
    ...(afterRestore && { afterRestore }),
  };
}

const afterRestoreOf = (
  stack: DeploymentStack,
  settings: RestoreProgram<pulumi.Output<string>>["restore"],
  restored: pulumi.Resource,
) =>
  lookAfterRestore(
    "after-restore",
    {
      settings,
      kubeconfig: stack.output<string>("kubeconfig"),
      clusters: stack.output<{ name: string }[]>("members").apply((members) => members.map(({ name }) => name)),
    },
    { dependsOn: restored },
  );
