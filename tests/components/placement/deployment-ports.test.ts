import { planFleet } from "../../../components/fleet.ts";
import { HostsPorts } from "../../../components/placement/hosts-ports.ts";
import { LocalPorts } from "../../../components/placement/local-ports.ts";
import { controlPlaneProcesses } from "../../../components/processes/control-plane.ts";
import { etcdBackupProcess } from "../../../components/processes/etcd-backup.ts";
import { managedEtcd, simulatedEtcd } from "../../../components/processes/etcd-cluster.ts";
import { etcdProxyProcess } from "../../../components/processes/etcd-proxy.ts";
import { haproxyProcess } from "../../../components/processes/haproxy.ts";
import { keepalivedProcess } from "../../../components/processes/keepalived.ts";
import { simulatedMemberProcesses } from "../../../components/processes/simulated-member.ts";
import { portsOfServing, portsOfSimulated, portsPerDeployment } from "../../../spec/placement/ports.ts";
import { deploymentOf } from "../support/deployment.ts";

const switched = { enabled: true };
const whole = deploymentOf({
  etcd: { kind: "managed", members: 7 },
  controlPlane: {
    "karmada-search": switched,
    "karmada-descheduler": switched,
    "karmada-metrics-adapter": switched,
  },
});
const pulled = deploymentOf({
  controlPlane: { "karmada-scheduler-estimator": switched },
  members: ["member1", "member2", "member3"].map((name) => ({
    name,
    syncMode: "Pull",
    credentials: { kind: "simulated" },
  })),
});
const members = [0, 1, 2, 3, 4, 5, 6].map((i) => `etcd-${i}`);
const etcd = managedEtcd({ members, version: "3.6.6", quota: "8Gi", extraArgs: {} });
const own = [
  ...Object.values(controlPlaneProcesses(whole, etcd.connection)).flat(),
  ...etcd.members,
  etcdBackupProcess(etcd.connection, "3.6.6"),
];
const shared = simulatedEtcd("3.6.6");
const simulated = [
  shared.process,
  ...["member1", "member2", "member3"].flatMap((name) =>
    Object.values(
      simulatedMemberProcesses({
        name,
        kubernetesVersion: "1.35.3",
        kwokVersion: "0.8.0",
        etcd: shared.connection(name),
        serviceClusterIpRange: "10.97.0.0/16",
      }),
    ),
  ),
];

const { agents, estimators } = planFleet(pulled);
const fleet = [...agents.values(), ...estimators.values()];

const base = 24000;
const ports = new LocalPorts(base);
const numbers = (processes: typeof own) =>
  processes.flatMap(({ name, ports: names }) => names.map((port) => ports.number(name, port)));

it("every port of the whole control plane and of its etcd has a number that is written down", () => {
  expect(own).toHaveLength(17);
  const hashed = own.filter((process) => numbers([process]).some((number) => number >= base + 100));
  expect(hashed.map(({ name }) => name)).toEqual([]);
});

it("so it has on hosts, where no two programs of one host share a number", () => {
  const { etcd: split } = deploymentOf({
    etcd: {
      kind: "managed",
      overrides: [
        { name: "leases", resources: ["coordination.k8s.io/leases"] },
        { name: "often", resources: ["/events"], members: 3 },
      ],
    },
  });
  const overrides = split.kind === "managed" ? split.overrides : [];
  const onHosts = new HostsPorts(overrides);
  const others = managedEtcd({
    members: ["etcd-leases-0", "etcd-often-0"],
    version: "3.6.6",
    quota: "8Gi",
    extraArgs: {},
  });
  const etcds = ["etcd", "events", "leases"].map((port) => ({ port, members }));
  const behind = ["karmada-aggregated-apiserver", "karmada-search", "karmada-metrics-adapter", "karmada-webhook"].map(
    (component) => ({ component, replicas: [], readyPath: "/readyz" }),
  );
  const balancing = [haproxyProcess({ host: "host1", port: 6443, apiservers: [], behind }), keepalivedProcess("host1")];
  const proxy = etcdProxyProcess({ name: "etcd-proxy-host1", etcds, etcd: etcd.connection });
  const oneHost = [...own, ...others.members, ...balancing, proxy].filter(({ name }) => !/^etcd-[1-6]$/.test(name));
  const written = oneHost.flatMap(({ name, ports: names }) => names.map((port) => onHosts.of(name)[port]));
  expect(written).not.toContain(undefined);
  expect(written).toHaveLength(new Set(written).size);
});

it("as many ports are counted for what serves a member, and for a simulated one, as it has", () => {
  const counted = (some: ReadonlyMap<string, { ports: readonly string[] }>) =>
    [...some.values()].map(({ ports }) => ports);
  expect(counted(agents)).toEqual(members.slice(0, 3).map(() => portsOfServing["karmada-agent"]));
  expect(counted(estimators)).toEqual(members.slice(0, 3).map(() => portsOfServing["karmada-scheduler-estimator"]));
  const [, ...clusters] = simulated;
  expect(clusters.flatMap(({ ports }) => ports)).toHaveLength(3 * portsOfSimulated);
});

it("on hosts, numbers of what serves a member depend on the programs of its host alone", () => {
  const estimatorsOf = (host: string) =>
    Array.from({ length: 290 }, (_, i) => `${host}-${i}-karmada-scheduler-estimator`);
  const hosts = ["host1", "host2", "host3"];
  const together = new HostsPorts([], (process) => process.split("-")[0]!);
  for (const host of hosts) {
    const alone = new HostsPorts();
    const found = estimatorsOf(host).map((process) => together.of(process));
    expect(found).toEqual(estimatorsOf(host).map((process) => alone.of(process)));
    expect(new Set(found.flatMap(Object.values)).size).toBe(3 * 290);
  }
});

it("no two ports of a dev stack have the same number, and all are in the deployment's range", () => {
  const all = numbers([...own, ...simulated, ...fleet]);
  expect(all).toHaveLength(new Set(all).size);
  expect(Math.max(...all)).toBeLessThan(base + portsPerDeployment);
});
