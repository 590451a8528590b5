import type { Desired, DesiredMember } from "../../lib/etcd/membership/situation.ts";
import type { EtcdMembershipInputs } from "../etcd-membership.ts";

/** What of the inputs says how the cluster is to be. */
type Declared = Pick<
  EtcdMembershipInputs,
  "token" | "members" | "version" | "replace" | "defragment" | "foreignMembers" | "restored"
>;

/** What is declared, for the reconciler. */
export const desiredOf = ({
  token,
  members,
  version,
  replace,
  defragment,
  foreignMembers,
  restored,
}: Declared): Desired => ({
  token,
  members,
  version,
  replace,
  defragment,
  foreignMembers: foreignMembers ?? "refuse",
  ...(restored && { restored: restored.clusterId }),
});

/** The same while some of it is unknown, undefined while too much is. An unknown revision differs from one that runs. */
export function desiredIfKnown(inputs: Partial<Declared>): Desired | undefined {
  const { token, version, replace, defragment, members } = inputs;
  if (token === undefined || version === undefined || replace === undefined || defragment === undefined)
    return undefined;
  const whole = members?.filter((member): member is DesiredMember =>
    Boolean(member?.name && member.peerUrl && member.clientUrl),
  );
  if (whole === undefined || whole.length !== members?.length) return undefined;
  const known = whole.map((member) => ({ ...member, revision: member.revision ?? "not known yet" }));
  return desiredOf({ ...inputs, token, version, replace, defragment, members: known });
}
