import type { TypedMember } from "../members/members.ts";
import type { Problem } from "../problems.ts";
import type { TypedSnapshots } from "../snapshots/snapshots.ts";
import { checkVolumes, refuseVolumes } from "../snapshots/volume.ts";

/** A placement whose programs run elsewhere than on this machine. */
type Remote = "hosts" | "kubernetes";

interface Checked {
  readonly members?: readonly TypedMember[] | undefined;
  readonly snapshots?: TypedSnapshots | undefined;
}

/** Finds what would have to run on this machine, or cannot run elsewhere yet. */
export function checkRemote(kind: Remote, { members, snapshots }: Checked): Problem[] {
  return [
    ...(members ? checkMembersThere(kind, members) : []),
    ...(snapshots ? checkSnapshotsThere(kind, snapshots) : []),
  ];
}

function checkMembersThere(kind: Remote, members: readonly TypedMember[]): Problem[] {
  const who = { hosts: "the hosts", kubernetes: "pods" }[kind];
  return members.flatMap(({ credentials }, i) => {
    if (credentials.kind !== "simulated") return [];
    const message = `got "simulated", want "kubeconfig", "kubeconfigFile", "stack" or "ssh" with placement.kind "${kind}": a simulated cluster is made of processes of this machine, which ${who} cannot reach`;
    return [{ path: ["members", i, "credentials", "kind"], message }];
  });
}

/** In pods the backup program may be on any node, and has no access to files there. */
function checkSnapshotsThere(kind: Remote, { schedule, targets, scratch }: TypedSnapshots): Problem[] {
  if (kind === "hosts" || schedule === undefined) return refuseVolumes(targets);
  const there = `with placement.kind "${kind}" and a schedule`;
  const nowhere = "it would be on whichever node has the pod";
  return [
    ...targets.flatMap((target, i): Problem[] => {
      if (target.kind !== "s3" || target.credentials.kind === "keys") return [];
      const message = `got "${target.credentials.kind}", want "keys" ${there}: the pod has neither files nor variables of yours`;
      return [{ path: ["snapshots", "targets", i, "credentials", "kind"], message }];
    }),
    ...checkVolumes(targets, there),
    ...(schedule.metricsFile === undefined
      ? []
      : [
          {
            path: ["snapshots", "schedule", "metricsFile"],
            message: `is not available with placement.kind "${kind}": ${nowhere}; collect /metrics of the pod, see placement.networkPolicies.metricsFrom`,
          },
        ]),
    ...(scratch === undefined
      ? []
      : [
          {
            path: ["snapshots", "scratch"],
            message: `is not available ${there}: ${nowhere}; the pod has room of its own`,
          },
        ]),
  ];
}
