import { connect, type KubeClient } from "../lib/kube/client.ts";
import { givenUp } from "../lib/kube/given-up.ts";
import { insist } from "../lib/kube/insist.ts";
import { leftBehind } from "../lib/left-behind.ts";
import { accountFor } from "../lib/members/accounts.ts";
import { revokeAgent } from "../lib/members/agent-rights.ts";
import { type Cleaning, cleanMember, grants, leftovers, propagated } from "../lib/members/cleanup.ts";
import { uidOf } from "../lib/members/identity.ts";
import { leavePlane, whyItStays, withdraw } from "../lib/members/leave.ts";
import { paths } from "../lib/members/names.ts";
import { isOwnAccount } from "../lib/members/own-account.ts";
import { denyDeletion } from "../lib/members/preserve.ts";
import { notReady } from "../lib/members/registration.ts";
import { release } from "../lib/members/reserved.ts";
import { type StillThere, stillThere } from "../lib/members/still-there.ts";
import { type Deadline, deadlineIn } from "../lib/wait.ts";
import type { ClusterRegistrationInputs, ClusterRegistrationOutputs } from "./cluster-registration.ts";
import type { State } from "./implementation.ts";

type Known = State<ClusterRegistrationInputs, ClusterRegistrationOutputs>;

/** Removes a member from its plane, and the plane's objects from the member; what stays there is reported. */
export async function leave(state: Known): Promise<void> {
  const { cluster, karmadaKubeconfig, memberKubeconfig } = state;
  const there = await stillThere(memberKubeconfig, state.uid, state.timeoutSeconds);
  const { member, silence } = there;
  const deadline = deadlineIn(state.timeoutSeconds);
  const plane = await connect(karmadaKubeconfig);
  const gone = await givenUp("the Karmada", plane, state.timeoutSeconds);
  if (gone !== undefined) return leaveGonePlane(state, plane, gone, there);
  const stays = await whyItStays(plane, cluster, state.declaredBy, deadline);
  if (stays !== undefined) return console.warn(`${cluster}: ${stays}`);
  const planeUid = await uidOf(plane, "the Karmada API", deadline);
  if (state.uid !== undefined) release({ plane: plane.server, uid: state.uid });
  const preserve = state.preserveWorkloads === true;
  const unreached = await whyUnreached(plane, state, deadline);
  if (preserve && silence === undefined) await denyDeletion(member, accountFor("plane", cluster), deadline);
  const unseen = silence !== undefined;
  const lost = unseen && (unreached !== undefined || state.syncMode === "Pull");
  const isAllDone = await withdraw(plane, cluster, deadline, { lost, unseen, preserve });
  if (state.syncMode === "Pull")
    await insist("the Karmada API to delete the rights of its agent", deadline, () => revokeAgent(plane, cluster));
  const [, left] = await Promise.all([
    leavePlane(plane, cluster, deadline),
    silence === undefined ? cleanMember(member, cluster, deadline, cleaning({ ...state, planeUid })) : [],
  ]);
  if (silence !== undefined) {
    const stays = isAllDone ? grants(cluster) : leftovers(cluster);
    console.warn(`${cluster}: left Karmada, but not cleaned: ${silence}\n${leftBehind(stays.join("; "))}`);
  } else if (unreached !== undefined && !preserve) {
    console.warn(
      `${cluster}: left, but Karmada could not take out what it put there: ${unreached}\n${leftBehind(propagated)}`,
    );
  }
  for (const reason of left) console.warn(`${cluster}: ${reason}`);
}

const cleaning = ({ cluster, memberKubeconfig, planeUid }: Known): Cleaning => ({
  planeUid,
  asItself: isOwnAccount(memberKubeconfig, cluster),
});

/**
 * Karmada silently abandons what is in a member that it cannot reach, even if this machine can. For a member with an
 * agent, the agent reports it.
 */
async function whyUnreached(plane: KubeClient, { cluster, syncMode }: Known, deadline: Deadline) {
  if (syncMode === "Pull") return undefined;
  const find = () => plane.find(paths.cluster(cluster));
  const object = await insist("the Karmada API", deadline, find);
  return object && notReady(object);
}

/** Removes the access that a Karmada which is gone had in the member, if the member answers. */
async function leaveGonePlane(
  state: Known,
  plane: KubeClient,
  gone: string,
  { member, silence }: StillThere,
): Promise<void> {
  const { cluster, uid, timeoutSeconds } = state;
  if (uid !== undefined) release({ plane: plane.server, uid });
  const left =
    silence === undefined ? await cleanMember(member, cluster, deadlineIn(timeoutSeconds), cleaning(state)) : [];
  const stays = silence === undefined ? [propagated] : leftovers(cluster);
  const cleaned = silence === undefined ? "" : `, and the member was not cleaned: ${silence}`;
  console.warn(`${cluster}: its Karmada is given up: ${gone}${cleaned}\n${leftBehind(stays.join("; "))}`);
  for (const reason of left) console.warn(`${cluster}: ${reason}`);
}
