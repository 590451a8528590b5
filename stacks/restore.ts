import * as pulumi from "@pulumi/pulumi";
import type { EtcdAccess } from "../components/etcd-access.ts";
import { createRestore, findingsOf, lookAfterRestore } from "../components/restore.ts";
import type { RestoreProgram } from "../spec/restore-program.ts";
import { DeploymentStack } from "./deployment-stack.ts";

/**
 * Restores a snapshot into a deployment that another stack declares, at the addresses it has: its programs are ended, its
 * etcd gets other data, its programs are started again. The other stack's next `up` finds nothing to do. What needs other
 * addresses or other members is declared there instead, as `etcd.restore`.
 */
export function restoreStack({ deployment, restore, snapshots }: RestoreProgram<pulumi.Output<string>>) {
  const stack = new DeploymentStack(deployment, "deployment");
  const access = stack.output<EtcdAccess>("etcdAccess");
  const ours = access.apply(({ managed }) => {
    if (managed !== undefined) return managed;
    throw new pulumi.RunError(`deployment: the etcd of ${stack.name} is external\nrestore it with its own means`);
  });
  const restored = createRestore(
    "restore",
    {
      cluster: access.deployment,
      etcdVersion: access.etcdVersion,
      snapshots,
      settings: restore,
      runtime: ours.runtime,
      members: ours.members,
      ca: access.ca,
      certificate: access.certificate,
      key: access.key,
      keyPrefix: access.prefix,
      programs: ours.programs,
      resume: true,
    },
    {},
  );
  const after = lookAfterRestore(
    "after-restore",
    {
      settings: restore,
      kubeconfig: stack.output<string>("kubeconfig"),
      clusters: stack.output<{ name: string }[]>("members").apply((members) => members.map(({ name }) => name)),
    },
    { dependsOn: restored },
  );
  return {
    clusterId: restored.clusterId,
    previousClusterId: restored.previousClusterId,
    revision: restored.revision,
    afterRestore: findingsOf(after),
  };
}
