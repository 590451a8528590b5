import type { TypedEtcd } from "./etcd.ts";
import type { TypedMember } from "./members.ts";
import type { Problem } from "./problems.ts";
import type { TypedSnapshots } from "./snapshots.ts";

/** A placement whose programs run elsewhere than on this machine. */
type Remote = "hosts" | "kubernetes";

interface Checked {
  readonly etcd?: TypedEtcd | undefined;
  readonly members?: readonly TypedMember[] | undefined;
  readonly snapshots?: TypedSnapshots | undefined;
}

/** Finds what would have to run on this machine, or runs nowhere else yet. */
export function checkRemote(kind: Remote, { etcd, members, snapshots }: Checked): Problem[] {
  return [
    ...(etcd ? checkRestoreThere(kind, etcd) : []),
    ...(members ? checkMembersThere(kind, members) : []),
    ...(snapshots ? checkSnapshotsThere(kind, snapshots) : []),
  ];
}

function checkRestoreThere(kind: Remote, etcd: TypedEtcd): Problem[] {
  if (kind === "hosts" || etcd.kind !== "managed" || etcd.restore === undefined) return [];
  return [{ path: ["etcd", "restore"], message: `is not available with placement.kind "${kind}" yet` }];
}

function checkMembersThere(kind: Remote, members: readonly TypedMember[]): Problem[] {
  const who = { hosts: "the hosts", kubernetes: "pods" }[kind];
  return members.flatMap(({ credentials }, i) => {
    if (credentials.kind !== "simulated") return [];
    const message = `got "simulated", want "kubeconfig", "kubeconfigFile" or "ssh" with placement.kind "${kind}": a simulated cluster is made of processes of this machine, which ${who} cannot reach`;
    return [{ path: ["members", i, "credentials", "kind"], message }];
  });
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
