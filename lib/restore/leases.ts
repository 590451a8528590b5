import { encode, endOfPrefix, type EtcdClient } from "../etcd/client.ts";
import { messageOf } from "../wait.ts";
import type { RestoredMember } from "./token.ts";

/**
 * Deletes the leases by which the control plane's programs elect their leaders. Those in a snapshot name holders that
 * are gone, and every program would wait 16 seconds for them to expire. The leases of members are kept: they are their
 * heartbeat.
 */
export async function deleteLeases(
  client: EtcdClient,
  members: readonly Pick<RestoredMember, "clientUrl">[],
  keyPrefix: string,
): Promise<void> {
  const errors: string[] = [];
  for (const { clientUrl } of members) {
    try {
      for (const namespace of ["karmada-system", "kube-system"]) {
        const prefix = `${keyPrefix}/leases/${namespace}/`;
        await client.call(clientUrl, "kv/deleterange", { key: encode(prefix), rangeEnd: endOfPrefix(prefix) });
      }
      return;
    } catch (error) {
      errors.push(messageOf(error));
    }
  }
  throw new Error(`deleting the leases of the control plane: ${errors.join("; ")}`);
}
