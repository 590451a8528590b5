import * as pulumi from "@pulumi/pulumi";
import type { Deployment } from "../../spec/deployment.ts";
import type { EtcdProgram } from "../../spec/etcd-program.ts";
import type { ConfiguredDeployment, ConfiguredEtcd } from "./configured.ts";
import { sealRestore } from "./snapshots.ts";

/** Seals the keys of an external etcd, and what a managed one restores from. */
export function sealEtcd(etcd: Deployment["etcd"]): ConfiguredDeployment["etcd"] {
  if (etcd.kind === "external") {
    const { maintenance, ...plain } = etcd;
    return {
      ...plain,
      key: pulumi.secret(etcd.key),
      ...(maintenance && { maintenance: { ...maintenance, key: pulumi.secret(maintenance.key) } }),
    };
  }
  return sealManagedEtcd(etcd);
}

/** Seals what it restores from. */
export function sealManagedEtcd({ restore, ...plain }: EtcdProgram["etcd"]): ConfiguredEtcd["etcd"] {
  return { ...plain, ...(restore && { restore: sealRestore(restore) }) };
}
