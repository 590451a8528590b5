import type * as pulumi from "@pulumi/pulumi";
import { EtcdDeployment } from "../components/etcd-deployment.ts";
import type { EtcdProgram } from "../spec/etcd-program.ts";
import { placementOf } from "./placement-of.ts";

/** An etcd by itself, as the stack file describes it, for Karmadas of other stacks. */
export async function etcdStack(deployment: EtcdProgram<pulumi.Output<string>>) {
  const { authorityKeys } = deployment.pki;
  const made = new EtcdDeployment(deployment.name, { deployment, placement: await placementOf(deployment) });
  return {
    etcd: made.etcd,
    etcdClient: made.etcdClient,
    etcdAccess: made.etcdAccess,
    versions: made.versions,
    certificates: made.certificates,
    ...(Object.keys(authorityKeys).length > 0 && { authorityKeys }),
    ...(made.backups !== undefined && { backups: made.backups }),
  };
}
