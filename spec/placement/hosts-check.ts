import { closest } from "../closest.ts";
import type { TypedEtcd } from "../etcd/etcd.ts";
import { type EtcdHosts, hostsOfOverride, overrideComponent } from "../etcd/hosts.ts";
import { type Override, overrideMembers, overridesIn } from "../etcd/overrides.ts";
import { settablePrograms } from "../control-plane/component-names.ts";
import type { Problem } from "../problems.ts";
import { hostsOf, loginProblem, memberOn, type TypedHosts } from "./hosts.ts";

/** Finds hosts that cannot be told apart or logged in to. */
export function checkHosts({ hosts, ssh: shared, components }: TypedHosts, etcd?: TypedEtcd): Problem[] {
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
    ...checkComponentHosts({ hosts, components }, [...movable, ...etcdComponents(components, etcd)]),
  ];
}

/** Those of `etcd.overrides`, and whatever may be one while problems of that section hide them. */
const etcdComponents = (components: TypedHosts["components"], etcd?: TypedEtcd): readonly string[] =>
  etcd === undefined
    ? Object.keys(components).filter((name) => name.startsWith("etcd-"))
    : overridesIn(etcd).map(overrideComponent);

/** What can be placed on chosen hosts. */
const movable: readonly string[] = [...settablePrograms, "etcd-backup"];

function checkComponentHosts(
  { hosts, components }: Pick<TypedHosts, "hosts" | "components">,
  movable: readonly string[],
): Problem[] {
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

/** Finds members of etcd without a host of their own, and hosts of unknown members. */
export function checkEtcdHosts({ hosts, components }: TypedHosts, etcd: TypedEtcd): Problem[] {
  const homes = { components, hosts: hosts.map(({ name, etcd }, i) => ({ name, ...memberOn(etcd, i) })) };
  const inhabited = overridesIn(etcd).flatMap((override) => hostsOfOverride(override, homes));
  const assigned = hosts.map(({ etcd }, i) => memberOn(etcd, i).etcd);
  const members = etcd.kind === "managed" ? etcd.members : [];
  const homeless = members.filter((member) => !assigned.includes(member));
  return [
    ...hosts.flatMap(({ name, etcdDirectory }, i) =>
      etcdDirectory === undefined || members.includes(assigned[i] ?? "") || inhabited.includes(name)
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
    ...overridesIn(etcd).flatMap((override, i) => checkOverrideHosts(override, i, homes)),
    ...(homeless.length > 0
      ? [
          {
            path: ["etcd", "members"],
            message: `no host for ${homeless.join(", ")}, want one for each: name it in a host's etcd${instead(members.length, hosts)}`,
          },
        ]
      : []),
  ];
}

/** Finds names that conflict with programs on the same hosts, and members without a host. */
function checkOverrideHosts(override: Override, i: number, homes: EtcdHosts): Problem[] {
  const component = overrideComponent(override);
  const path = (field: string) => ["etcd", "overrides", i, field];
  if (taken.includes(component))
    return [
      { path: path("name"), message: `got "${override.name}", want another name: ${component} is a program on hosts` },
    ];
  const chosen = homes.components[component];
  if (chosen !== undefined && chosen.length !== override.members) {
    const message = `got ${chosen.length}, want ${override.members}: one for each member`;
    return [{ path: ["placement", "components", component], message }];
  }
  const found = hostsOfOverride(override, homes);
  const homeless = overrideMembers(override).filter((_, member) => found[member] === undefined);
  if (homeless.length === 0) return [];
  const message = `no host for ${homeless.join(", ")}, want one for each: that of the member of etcd of the same number, or those in placement.components.${component}`;
  return [{ path: path("members"), message }];
}

const taken = ["etcd-proxy", "etcd-backup"];

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

/** The alternative if hosts do not match the members; nothing if no host is to have one. */
function instead(members: number, hosts: TypedHosts["hosts"]): string {
  const most = [7, 5, 3, 1].find((count) => count <= hosts.filter(({ etcd }) => etcd !== "none").length);
  if (most === undefined) return "";
  if (most >= members) return ", or name in etcd.members those that hosts have";
  return `, or have ${most === 1 ? "1 member" : `${most} members`}`;
}
