import { connect, type KubeClient, type KubeObject } from "../../lib/kube/client.ts";
import { reasonToGiveUp } from "../../lib/kube/reason-to-give-up.ts";
import { retryTransient } from "../../lib/kube/retry-transient.ts";
import { leftBehind } from "../../lib/left-behind.ts";
import { accountFor } from "../../lib/members/accounts.ts";
import { agentHomeAccounts } from "../../lib/members/agent-home.ts";
import { revokeAgent } from "../../lib/members/agent-rights.ts";
import { type Cleaning, cleanMember, grants, leftovers, propagated } from "../../lib/members/cleanup.ts";
import { uidOf } from "../../lib/members/identity.ts";
import { leavePlane, whyItStays, type Withdrawal, withdraw } from "../../lib/members/leave.ts";
import { executionNamespaceOf, paths } from "../../lib/members/names.ts";
import { isOwnAccount } from "../../lib/members/own-account.ts";
import { denyDeletion } from "../../lib/members/preserve.ts";
import { notReady, readyCondition } from "../../lib/members/registration.ts";
import { release } from "../../lib/members/reserved.ts";
import { type StillThere, stillThere } from "../../lib/members/still-there.ts";
import { type Deadline, deadlineIn } from "../../lib/wait.ts";
import type { ClusterRegistrationInputs, ClusterRegistrationOutputs } from "../cluster-registration.ts";
import type { State } from "../implementation.ts";

type Known = State<ClusterRegistrationInputs, ClusterRegistrationOutputs>;

/** Removes a member from its plane, and the plane's objects from the member; what stays there is reported. */
export async function leave(state: Known): Promise<void> {
  const { cluster, karmadaKubeconfig, memberKubeconfig } = state;
  const there = await stillThere(memberKubeconfig, state.uid, state.timeoutSeconds);
  const deadline = deadlineIn(state.timeoutSeconds);
  const plane = await connect(karmadaKubeconfig);
  const gone = await reasonToGiveUp("the Karmada", plane, state.timeoutSeconds);
  if (gone !== undefined) return leaveGonePlane(state, plane, gone, there);
  const stays = await whyItStays(plane, cluster, state.declaredBy, deadline);
  if (stays !== undefined) return console.warn(`${cluster}: ${stays}`);
  const planeUid = await uidOf(plane, "the Karmada API", deadline);
  if (state.uid !== undefined) release({ plane: plane.server, uid: state.uid });
  const standing = await lookAt(plane, state, deadline);
  await keepWorkloads(state, there, standing, deadline);
  const isAllDone = await withdraw(plane, cluster, state.timeoutSeconds, withdrawalOf(state, there, standing));
  const left = await endAccess(plane, { ...state, planeUid }, there);
  const rest = remains(state, there, standing, isAllDone);
  for (const sentence of [...(rest === undefined ? [] : [rest]), ...left]) console.warn(`${cluster}: ${sentence}`);
}

interface Standing {
  /** Why Karmada abandons what is in the member, even if this machine can reach it. */
  readonly unreached?: string | undefined;
  /** Whether the agent of a member in Pull mode has done what was to be done there, as PulledMember has it do. */
  readonly emptied: boolean;
}

/** An agent that has never looked has put nothing into its member either. */
async function lookAt(plane: KubeClient, { cluster, syncMode }: Known, deadline: Deadline): Promise<Standing> {
  const find = () => plane.find(paths.cluster(cluster));
  const object = await retryTransient("the Karmada API", deadline, find);
  if (object === undefined) return { emptied: true };
  if (syncMode === "Push") return { unreached: notReady(object), emptied: false };
  const works = () => plane.get<{ items: KubeObject[] }>(paths.works(executionNamespaceOf(cluster)));
  const { items } = await retryTransient("the Karmada API", deadline, works);
  const emptied = object.metadata?.deletionTimestamp !== undefined && items.length === 0;
  return { unreached: emptied || readyCondition(object) === undefined ? undefined : notReady(object), emptied };
}

/** Takes from Karmada's accounts in the member the right to delete, if what it put there is to stay. */
async function keepWorkloads(
  { cluster, syncMode, preserveWorkloads }: Known,
  { member, silence }: StillThere,
  { emptied }: Standing,
  deadline: Deadline,
): Promise<void> {
  if (preserveWorkloads !== true || silence !== undefined) return;
  const agents = syncMode === "Pull" && !emptied ? await agentsIn(member, cluster, deadline) : [];
  for (const each of [accountFor("plane", cluster), ...agents]) await denyDeletion(member, each, deadline);
}

/** The accounts that an agent of this member may have there. */
const agentsIn = async (member: KubeClient, cluster: string, deadline: Deadline) => [
  accountFor("agent", cluster),
  ...(await retryTransient("the member to name its agents", deadline, () => agentHomeAccounts(member, cluster))),
];

/**
 * In Push mode Karmada deletes in the member itself: the member is lost where neither this machine nor Karmada reaches it.
 * In Pull mode its agent does: it is lost where one of them has no sign of life.
 */
function withdrawalOf(
  { syncMode, preserveWorkloads }: Known,
  { silence }: StillThere,
  { unreached }: Standing,
): Withdrawal {
  const unseen = silence !== undefined;
  const lost = syncMode === "Pull" ? unseen || unreached !== undefined : unseen && unreached !== undefined;
  return { lost, unseen, preserve: preserveWorkloads === true };
}

/**
 * Removes the rights of an agent and what else the plane has of the cluster, and what the plane has in the member, if
 * that answers.
 *
 * @returns what was left there on purpose, in sentences
 */
async function endAccess(plane: KubeClient, state: Known, { member, silence }: StillThere): Promise<string[]> {
  const { cluster, syncMode, timeoutSeconds } = state;
  const deadline = deadlineIn(timeoutSeconds);
  if (syncMode === "Pull")
    await retryTransient("the Karmada API to delete the rights of its agent", deadline, () =>
      revokeAgent(plane, cluster),
    );
  const [, left] = await Promise.all([
    leavePlane(plane, cluster, deadline),
    silence === undefined ? cleanMember(member, cluster, deadline, cleaning(state)) : [],
  ]);
  return left;
}

const cleaning = ({ cluster, memberKubeconfig, planeUid }: Known): Cleaning => ({
  planeUid,
  asItself: isOwnAccount(memberKubeconfig, cluster),
});

/** What stays in the member since it, or Karmada's way to it, was gone; undefined if nothing does. */
function remains(
  { cluster, syncMode, preserveWorkloads }: Known,
  { silence }: StillThere,
  { unreached }: Standing,
  isAllDone: boolean,
): string | undefined {
  if (silence !== undefined) {
    const stays = isAllDone ? grants(cluster) : leftovers(cluster);
    return `left Karmada, but not cleaned: ${silence}\n${leftBehind(stays.join("; "))}`;
  }
  if (unreached === undefined || (syncMode !== "Pull" && preserveWorkloads === true)) return undefined;
  return `left, but Karmada could not take out what it put there: ${unreached}\n${leftBehind(propagated)}`;
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
