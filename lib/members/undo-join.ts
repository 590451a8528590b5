import type { KubeClient } from "../kube/client.ts";
import { deadlineIn } from "../wait.ts";
import { revokeAgent } from "./agent-rights.ts";
import { cleanMember } from "./cleanup.ts";
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

/** Whether Karmada has no account in a member yet under this name: what a join leaves there is all its own. */
export const isUntouched = async (member: KubeClient, cluster: string): Promise<boolean> =>
  (await member.find(paths.serviceAccount(serviceAccountOf(cluster)))) === undefined;

/**
 * Takes back what a first join has written that failed before there was a Cluster: no state knows of it, so that nobody would,
 * and the account in the member may do everything. As far as both sides answer; the failure itself is what is told.
 */
export async function undoJoin({ plane, planeUid, member, cluster, syncMode }: Join): Promise<void> {
  const deadline = deadlineIn(seconds);
  try {
    if ((await plane.find(paths.cluster(cluster))) !== undefined) return;
    if (syncMode === "Pull") await revokeAgent(plane, cluster);
    await Promise.all([leavePlane(plane, cluster, deadline), cleanMember(member, cluster, deadline, { planeUid })]);
  } catch {
    // What failed before this is told.
  }
}

const seconds = 20;
