import { connect, type KubeClient } from "../kube/client.ts";
import { type Deadline, deadlineIn, messageOf } from "../wait.ts";
import { uidOf } from "./identity.ts";

/** A member that is to be cleaned, or why it cannot be. */
export type StillThere =
  | { readonly member: KubeClient; readonly silence: undefined }
  | { readonly member: undefined; readonly silence: string };

/** How long a member to be cleaned is asked before it counts as gone. */
export const patience = (timeoutSeconds: number): Deadline => deadlineIn(Math.min(10, timeoutSeconds / 2));

/**
 * Looks for a member that leaves. No answer, no possible login, or a different cluster are results too: it is removed
 * from the plane all the same.
 *
 * @param uid of the one that has joined; undefined where that is not known
 */
export async function stillThere(
  kubeconfig: string,
  uid: string | undefined,
  timeoutSeconds: number,
): Promise<StillThere> {
  try {
    const member = await connect(kubeconfig);
    const now = await uidOf(member, "the member", patience(timeoutSeconds));
    if (uid === undefined || uid === now) return { member, silence: undefined };
    return { member: undefined, silence: `it is another cluster now, ${now}` };
  } catch (error) {
    return { member: undefined, silence: messageOf(error) };
  }
}
