import * as pulumi from "@pulumi/pulumi";
import type { EtcdAccess } from "../components/etcd-access.ts";
import { createRestore, findingsOf, lookAfterRestore, restoreOfPart } from "../components/restore.ts";
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
  const parts = Object.keys(restore.overrides).map((part) =>
    createRestore(
      `restore-${part}`,
      {
        ...common,
        part,
        settings: restoreOfPart(restore, part),
        members: ours.apply((all) => membersOfPart(all, part, stack.name)),
        resume: false,
      },
      {},
    ),
  );
  // The programs start again once all of it is there.
  const members = ours.apply((all) => refuseForgotten(all, Object.keys(restore.overrides)).members);
  const restored = createRestore(
    "restore",
    { ...common, settings: restore, members, resume: true },
    { dependsOn: parts },
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

type Managed = NonNullable<EtcdAccess["managed"]>;

function membersOfPart({ parts }: Managed, part: string, stack: string): Managed["members"] {
  const members = parts[part];
  if (members !== undefined) return members;
  const names = Object.keys(parts).join(", ") || "none";
  throw new pulumi.RunError(`restore.overrides.${part}: ${stack} has no such etcd, it has ${names}`);
}

/** What is restored without its parts would not fit them. */
function refuseForgotten(managed: Managed, named: readonly string[]): Managed {
  const forgotten = Object.keys(managed.parts).filter((part) => !named.includes(part));
  if (forgotten.length === 0) return managed;
  throw new pulumi.RunError(
    `restore.overrides: the deployment has etcds of their own for some kinds of objects: name ${forgotten.join(", ")}, each with the ID of the cluster that may go`,
  );
}
