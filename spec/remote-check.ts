import type { ControlPlane } from "./control-plane.ts";
import type { TypedEtcd } from "./etcd.ts";
import type { TypedMember } from "./members.ts";
import type { Problem } from "./problems.ts";
import type { TypedSnapshots } from "./snapshots.ts";
import { chosenMode } from "./sync-mode.ts";

/** A placement whose programs run elsewhere than on this machine. */
type Remote = "hosts" | "kubernetes";

interface Checked {
  readonly controlPlane?: ControlPlane | undefined;
  readonly etcd?: TypedEtcd | undefined;
  readonly members?: readonly TypedMember[] | undefined;
  readonly snapshots?: TypedSnapshots | undefined;
}

/** Finds what would have to run on this machine, or runs nowhere else yet. */
export function checkRemote(kind: Remote, { controlPlane, etcd, members, snapshots }: Checked): Problem[] {
  return [
    ...(etcd ? checkRestoreThere(kind, etcd) : []),
    ...(members ? checkMembersThere(kind, members, controlPlane?.networks ?? []) : []),
    ...(controlPlane ? checkEstimatorsThere(kind, controlPlane) : []),
    ...(snapshots ? checkSnapshotsThere(kind, snapshots) : []),
  ];
}

function checkRestoreThere(kind: Remote, etcd: TypedEtcd): Problem[] {
  if (kind === "hosts" || etcd.kind !== "managed" || etcd.restore === undefined) return [];
  return [{ path: ["etcd", "restore"], message: `is not available with placement.kind "${kind}" yet` }];
}

function checkMembersThere(kind: Remote, members: readonly TypedMember[], planeNetworks: readonly string[]): Problem[] {
  const who = { hosts: "the hosts", kubernetes: "pods" }[kind];
  return members.flatMap((member, i) => [
    ...(member.credentials.kind === "simulated"
      ? [
          {
            path: ["members", i, "credentials", "kind"],
            message: `got "simulated", want "kubeconfig" or "kubeconfigFile" with placement.kind "${kind}": a simulated cluster is made of processes of this machine, which ${who} cannot reach`,
          },
        ]
      : []),
    ...(kind === "kubernetes" && chosenMode(member, planeNetworks).syncMode === "Pull"
      ? [
          {
            path: ["members", i, "syncMode"],
            message: `got "${member.syncMode}", want "Push" with placement.kind "${kind}": an agent for "Pull" is not available there yet`,
          },
        ]
      : []),
  ]);
}

/** There is one of them for each member. */
function checkEstimatorsThere(kind: Remote, controlPlane: ControlPlane): Problem[] {
  if (kind === "hosts" || !controlPlane["karmada-scheduler-estimator"].enabled) return [];
  return [
    {
      path: ["controlPlane", "karmada-scheduler-estimator", "enabled"],
      message: `got true, want false with placement.kind "${kind}": estimators are not available there yet`,
    },
  ];
}

/** A schedule is kept by a program beside a local etcd. */
function checkSnapshotsThere(kind: Remote, { schedule }: TypedSnapshots): Problem[] {
  if (kind === "hosts" || schedule === undefined) return [];
  return [
    {
      path: ["snapshots", "schedule"],
      message: `is not available with placement.kind "${kind}" yet: the program that keeps to it needs Node.js there; run a stack of the program "snapshots" by a timer of your own`,
    },
  ];
}
