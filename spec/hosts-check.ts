import type { TypedEtcd } from "./etcd.ts";
import { closest } from "./closest.ts";
import { componentNames, memberProgramNames } from "./component-names.ts";
import { hostsOf, loginProblem, memberOn, type TypedHosts } from "./hosts.ts";
import type { Problem } from "./problems.ts";

/** Finds hosts that cannot be told apart or logged in to. */
export function checkHosts({ hosts, ssh: shared, components }: TypedHosts): Problem[] {
  const local = hosts.flatMap(({ ssh }, i) => (ssh === undefined ? [i] : []));
  return [
    ...twice(hosts, "name"),
    ...twice(hosts, "address"),
    ...local.slice(1).map((i) => problem(i, "ssh", `missing, and hosts[${local[0]}] is this machine already`)),
    ...hosts.flatMap(({ ssh }, i) => {
      if (ssh === undefined) return [];
      const wrong = loginProblem({ ...shared, ...ssh }, ", here or in placement.ssh");
      return wrong === undefined ? [] : [problem(i, "ssh", wrong)];
    }),
    ...(hostsOf({ hosts, components }).length === 0
      ? [{ path: ["placement", "hosts"], message: "got no host with controlPlane: true, want at least one" }]
      : []),
    ...checkComponentHosts({ hosts, components }),
  ];
}

/** What can be on chosen hosts. */
const movable: readonly string[] = [...componentNames, ...memberProgramNames, "etcd-backup"];

function checkComponentHosts({ hosts, components }: Pick<TypedHosts, "hosts" | "components">): Problem[] {
  const names = hosts.map(({ name }) => name);
  const path = (component: string, i?: number) => [
    ...["placement", "components", component],
    ...(i === undefined ? [] : [i]),
  ];
  return Object.entries(components).flatMap(([component, chosen]) => {
    if (!movable.includes(component)) {
      const meant = closest(component, movable);
      const want = meant === undefined ? `one of ${movable.join(", ")}` : `"${meant}"`;
      return [{ path: path(component), message: `there is no such component, want ${want}` }];
    }
    return chosen.flatMap((name, i) => {
      if (!names.includes(name)) {
        return [
          { path: path(component, i), message: `got "${name}", want one of placement.hosts (${names.join(", ")})` },
        ];
      }
      const before = chosen.indexOf(name);
      if (before === i) return [];
      return [
        { path: path(component, i), message: `got "${name}", want another host: it is there at ${before} already` },
      ];
    });
  });
}

/** Finds members of etcd without a host of their own, hosts of members that there are none of, and what cannot be there yet. */
export function checkEtcdHosts({ hosts }: TypedHosts, etcd: TypedEtcd): Problem[] {
  const assigned = hosts.map(({ etcd }, i) => memberOn(etcd, i).etcd);
  const members = etcd.kind === "managed" ? etcd.members : [];
  const homeless = members.filter((member) => !assigned.includes(member));
  return [
    ...hosts.flatMap(({ etcdDirectory }, i) =>
      etcdDirectory === undefined || members.includes(assigned[i] ?? "")
        ? []
        : [problem(i, "etcdDirectory", `got "${etcdDirectory}", and no member of etcd is there`)],
    ),
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
    ...(etcd.kind === "managed" && etcd.overrides.length > 0
      ? [{ path: ["etcd", "overrides"], message: 'is not available with placement.kind "hosts" yet' }]
      : []),
    ...(homeless.length > 0
      ? [
          {
            path: ["etcd", "members"],
            message: `no host for ${homeless.join(", ")}, want one for each: name it in a host's etcd, or have ${oddAtMost(hosts.length)}`,
          },
        ]
      : []),
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
