import type { KubeClient } from "../kube/client.ts";
import { leftBehind } from "../left-behind.ts";
import { deadlineIn, messageOf } from "../wait.ts";
import { revokeAgent } from "./agent-rights.ts";
import { cleanMember, grants } from "./cleanup.ts";
import type { SyncMode } from "./cluster-object.ts";
import { leavePlane } from "./leave.ts";
import { paths, serviceAccountOf } from "./names.ts";

/** A join that writes to both sides. */
interface Join {
  readonly plane: KubeClient;
  readonly planeUid: string;
  readonly member: KubeClient;
  readonly cluster: string;
  readonly syncMode: SyncMode;
}

/** Whether Karmada has no account in a member yet under this name: then everything there is from this join. */
export const isUntouched = async (member: KubeClient, cluster: string): Promise<boolean> =>
  (await member.find(paths.serviceAccount(serviceAccountOf(cluster)))) === undefined;

/**
 * Removes what a first join wrote if it failed before there was a Cluster: no state knows of it, so nothing else would
 * remove it, and the account in the member may do everything. What cannot be removed is reported with the failure
 * itself.
 */
export async function undoJoin({ plane, planeUid, member, cluster, syncMode }: Join): Promise<void> {
  const deadline = deadlineIn(seconds);
  try {
    if ((await plane.find(paths.cluster(cluster))) !== undefined) return;
    if (syncMode === "Pull") await revokeAgent(plane, cluster);
    await Promise.all([leavePlane(plane, cluster, deadline), cleanMember(member, cluster, deadline, { planeUid })]);
  } catch (error) {
    const stays = leftBehind(grants(cluster).join("; "));
    console.warn(`${cluster}: did not join, and was not cleaned: ${messageOf(error)}\n${stays}`);
  }
}

const seconds = 20;
