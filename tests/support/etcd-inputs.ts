import type { EtcdMembershipInputs } from "../../providers/etcd-membership.ts";
import type { EtcdRestoreInputs } from "../../providers/etcd-restore.ts";
import type { PreparedEtcd } from "./prepared-etcd.ts";

/** Settings of a cluster of which a stack file says nothing. */
export const usualSettings = {
  version: "3.6.6",
  replace: {},
  defragment: { fragmentation: 0.45, size: 100 * 2 ** 20 },
};

/** What the reconciler of a cluster that is prepared gets from a deployment. */
export const membershipInputs = (
  etcd: PreparedEtcd,
  change: Partial<EtcdMembershipInputs> = {},
): EtcdMembershipInputs => ({
  token: "dev",
  runtime: etcd.address,
  members: etcd.members.map((member) => ({ ...member, revision: member.clientUrl })),
  ...usualSettings,
  ...etcd.connection,
  timeoutSeconds: 30,
  ...change,
});

/** What a restore into a cluster that is prepared gets: every lock closed, and a source that is nowhere. */
export const restoreInputs = (
  etcd: PreparedEtcd,
  change: Pick<EtcdRestoreInputs, "etcdutl"> & Partial<EtcdRestoreInputs>,
): EtcdRestoreInputs => ({
  cluster: "dev",
  runtime: etcd.address,
  members: etcd.members,
  ...etcd.connection,
  etcdVersion: "3.6.6",
  generation: 1,
  source: { kind: "file", path: "/nowhere" },
  replaceClusterId: "none",
  overwriteHealthy: false,
  allowForeignSnapshot: true,
  keyPrefix: "/registry",
  programs: [],
  timeoutSeconds: 60,
  ...change,
});
