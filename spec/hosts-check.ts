import type { ControlPlane } from "./control-plane.ts";
import type { TypedEtcd } from "./etcd.ts";
import { controlPlaneHosts, memberOn, type TypedHosts } from "./hosts.ts";
import type { TypedMember } from "./members.ts";
import type { Problem } from "./problems.ts";
import type { TypedSnapshots } from "./snapshots.ts";
import { chosenMode } from "./sync-mode.ts";

/** Finds hosts that cannot be told apart or logged in to. */
export function checkHosts({ hosts, ssh: shared }: TypedHosts): Problem[] {
  const local = hosts.flatMap(({ ssh }, i) => (ssh === undefined ? [i] : []));
  return [
    ...twice(hosts, "name"),
    ...twice(hosts, "address"),
    ...local.slice(1).map((i) => problem(i, "ssh", `missing, and hosts[${local[0]}] is this machine already`)),
    ...hosts.flatMap(({ ssh }, i) => {
      if (ssh === undefined) return [];
      const { privateKey, password, agent, passphrase } = { ...shared, ...ssh };
      if (privateKey === undefined && password === undefined && agent === undefined) {
        return [
          problem(
            i,
            "ssh",
            "nothing to log in with, want a privateKey, a password or an agent, here or in placement.ssh",
          ),
        ];
      }
      if (passphrase !== undefined && privateKey === undefined) {
        return [problem(i, "ssh", "there is a passphrase, but no privateKey that it opens")];
      }
      return [];
    }),
    ...(controlPlaneHosts({ hosts }) === 0
      ? [{ path: ["placement", "hosts"], message: "got no host with controlPlane: true, want at least one" }]
      : []),
  ];
}

/** Finds members of etcd without a host of their own, and hosts of members that there are none of. */
export function checkEtcdHosts({ hosts }: TypedHosts, etcd: TypedEtcd): Problem[] {
  const assigned = hosts.map(({ etcd }, i) => memberOn(etcd, i).etcd);
  const members = etcd.kind === "managed" ? etcd.members : [];
  const homeless = members.filter((member) => !assigned.includes(member));
  return [
    ...assigned.flatMap((member, i) => {
      const before = assigned.indexOf(member);
      if (member === undefined || before === i) return [];
      return [problem(i, "etcd", `got "${member}", want another member: hosts[${before}] has it`)];
    }),
    ...hosts.flatMap(({ etcd: typed }, i) =>
      typed === undefined || typed === "none" || members.includes(typed)
        ? []
        : [
            problem(
              i,
              "etcd",
              `got "${typed}", want none or one of etcd.members (${members.join(", ") || "there are none"})`,
            ),
          ],
    ),
    ...(homeless.length > 0
      ? [
          {
            path: ["etcd", "members"],
            message: `no host for ${homeless.join(", ")}, want one for each: name it in a host's etcd, or have ${oddAtMost(hosts.length)}`,
          },
        ]
      : []),
    ...(etcd.kind === "managed" && etcd.restore !== undefined
      ? [{ path: ["etcd", "restore"], message: 'is not available with placement.kind "hosts" yet' }]
      : []),
  ];
}

/** Finds members whose programs would have to run on this machine, or run nowhere yet. */
export function checkMembersOnHosts(members: readonly TypedMember[], planeNetworks: readonly string[]): Problem[] {
  return members.flatMap((member, i) => [
    ...(member.credentials.kind === "simulated"
      ? [
          {
            path: ["members", i, "credentials", "kind"],
            message:
              'got "simulated", want "kubeconfig" or "kubeconfigFile" with placement.kind "hosts": a simulated cluster is made of processes of this machine, which the hosts cannot reach',
          },
        ]
      : []),
    ...(chosenMode(member, planeNetworks).syncMode === "Pull"
      ? [
          {
            path: ["members", i, "syncMode"],
            message: `got "${member.syncMode}", want "Push" with placement.kind "hosts": an agent for "Pull" is not available there yet`,
          },
        ]
      : []),
  ]);
}

/** Finds programs that there is one of for each member. */
export function checkEstimatorsOnHosts(controlPlane: ControlPlane): Problem[] {
  if (!controlPlane["karmada-scheduler-estimator"].enabled) return [];
  return [
    {
      path: ["controlPlane", "karmada-scheduler-estimator", "enabled"],
      message: 'got true, want false with placement.kind "hosts": estimators are not available there yet',
    },
  ];
}

/** Finds what only runs beside a local etcd. */
export function checkSnapshotsOnHosts({ schedule }: TypedSnapshots): Problem[] {
  if (schedule === undefined) return [];
  return [
    {
      path: ["snapshots", "schedule"],
      message:
        'is not available with placement.kind "hosts" yet: the program that keeps to it needs Node.js there; run a stack of the program "snapshots" by a timer of your own',
    },
  ];
}

const problem = (i: number, field: string, message: string): Problem => ({
  path: ["placement", "hosts", i, field],
  message,
});

function twice(hosts: TypedHosts["hosts"], field: "name" | "address"): Problem[] {
  const values = hosts.map((host) => host[field]);
  return values.flatMap((value, i) => {
    const before = values.indexOf(value);
    if (before === i) return [];
    return [problem(i, field, `got "${value}", want another ${field}: hosts[${before}] has it`)];
  });
}

function oddAtMost(hosts: number): string {
  const most = [7, 5, 3, 1].find((count) => count <= hosts);
  return most === 1 ? "1 member" : `${most} members`;
}
