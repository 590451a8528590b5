import type { RestoredMember } from "../providers/etcd-restore.ts";
import { type EtcdPlan, healthClient, isManaged } from "./etcd-plan.ts";
import { address, type Ground, innerAddress } from "./placed.ts";
import { etcdBackupName } from "./processes/etcd-backup.ts";
import { memberUrl } from "./processes/etcd.ts";

/** Names of our own members and where they are. */
export const memberAddresses = ({ members }: Pick<EtcdPlan, "members">, { placement }: Ground): RestoredMember[] =>
  members.map(({ name }) => ({
    name,
    peerUrl: innerAddress(placement, memberUrl(name, "peer")),
    clientUrl: address(placement, memberUrl(name, "client")),
  }));

/** What is reached: a cluster of our own, or an external one, maybe by other addresses than programs have. */
type Reached = Pick<EtcdPlan, "connection"> & { readonly outside?: readonly string[] };

/** Where its members are reached from outside. */
export const clientUrls = ({ connection, outside }: Reached, { placement }: Ground): string[] =>
  (outside ?? connection.endpoints).map((endpoint) => address(placement, endpoint));

/** Where other processes reach its members. */
export const innerUrls = ({ connection }: Pick<EtcdPlan, "connection">, { placement }: Ground): string[] =>
  connection.endpoints.map((endpoint) => innerAddress(placement, endpoint));

/** Where etcd is reached from outside, and the certificate with the most rights. */
export function etcdReach(plan: EtcdPlan, ground: Ground) {
  return reach(
    plan,
    ground,
    isManaged(plan) ? healthClient.name : plan.connection.identity(etcdBackupName).certificate,
  );
}

/** Where etcd is reached from outside, with any certificate that this deployment has issued. */
export function reach(plan: Reached, ground: Ground, certificate: string) {
  const { pki } = ground;
  const pair = pki.pair(certificate);
  return {
    endpoints: clientUrls(plan, ground),
    ca: pki.trust(plan.connection.authority),
    certificate: pair.certificate,
    key: pair.key,
  };
}
