import { withMocks } from "../support/mocks.ts";
import { deploymentOf } from "../support/deployment.ts";
import type { Process, Text } from "../../../components/process.ts";

await withMocks({});
const { KubernetesNames } = await import("../../../components/placement/kubernetes-names.ts");
const { controlPlaneProcesses } = await import("../../../components/processes/control-plane.ts");
const { managedEtcd } = await import("../../../components/processes/etcd-cluster.ts");
const { planFleet } = await import("../../../components/fleet.ts");

const kubeconfig = `
current-context: oslo
contexts: [{ name: oslo, context: { cluster: oslo, user: admin } }]
clusters: [{ name: oslo, cluster: { server: "https://10.0.0.1:6443" } }]
users: [{ name: admin, user: { token: t0ken } }]
`;
const exposure = { kind: "nodePort", addresses: ["10.0.0.11"], apiServer: 32443, etcd: 32379 } as const;
const names = new KubernetesNames({ namespace: "fleet", clusterDomain: "cluster.local", exposure });
const addons = ["karmada-descheduler", "karmada-search", "karmada-metrics-adapter"];
const { etcd, ...deployment } = deploymentOf({
  controlPlane: Object.fromEntries([...addons, "karmada-scheduler-estimator"].map((name) => [name, { enabled: true }])),
  members: [{ name: "oslo", syncMode: "Pull", credentials: { kind: "kubeconfig", kubeconfig } }],
});
if (etcd.kind !== "managed") throw new Error("it is managed by default");
const { members, connection } = managedEtcd({ ...etcd, version: deployment.versions.etcd });
const { agents, estimators } = planFleet(deployment);
const processes = [
  ...members,
  ...Object.values(controlPlaneProcesses(deployment, connection, { copies: true })).flat(),
  ...agents.values(),
  ...estimators.values(),
];

/** Ports of other processes that one names in its arguments and files. */
function reached({ args, env = {}, files }: Process): { readonly process: string; readonly port: string }[] {
  const inFiles = Object.values(files).flatMap((file): Text[] => {
    if (file.from === "kubeconfig") return [file.server];
    return file.from === "text" ? [file.text] : [];
  });
  const refs = [...args, ...Object.values(env), ...inFiles].flatMap((text) => (typeof text === "string" ? [] : text));
  return refs.flatMap((ref) => {
    if (typeof ref === "string") return [];
    if (ref.ref === "front") return [{ process: ref.process, port: ref.port }];
    if (ref.ref === "urls") return ref.processes.map((process) => ({ process, port: ref.port }));
    return ref.ref === "port" && ref.process !== undefined ? [{ process: ref.process, port: ref.port }] : [];
  });
}

test("an estimator is asked by the scheduler and the descheduler, and the agent by nobody", () => {
  const [agent, estimator] = [[...agents.values()][0]!, [...estimators.values()][0]!];
  expect(estimator.callers).toEqual({ grpc: ["karmada-scheduler", "karmada-descheduler"] });
  expect(agent.callers).toBeUndefined();
  expect(reached(agent)).toContainEqual({ process: "karmada-apiserver", port: "secure" });
});

test("whoever names a port of another program is let in there", () => {
  const walls = processes.flatMap((client) =>
    reached(client)
      .filter(({ process, port }) => {
        const callers = processes.find(({ name }) => name === process)?.callers?.[port] ?? [];
        return names.nodePort(process, port) === undefined && !callers.includes(client.component);
      })
      .map(({ process, port }) => `${client.name} -> ${process} ${port}`),
  );
  expect(walls).toEqual([]);
  const apiserver = processes.find(({ component }) => component === "kube-apiserver")!;
  expect(reached(apiserver)).toContainEqual({ process: "etcd-2", port: "client" });
});

test("the API servers are let in where their API sends them: to aggregated servers and the webhook", () => {
  const called = processes.filter(({ callers }) => callers?.["secure"]?.includes("kube-apiserver"));
  expect(called.map(({ name }) => name).toSorted()).toEqual([
    "karmada-aggregated-apiserver",
    "karmada-metrics-adapter",
    "karmada-search",
    "karmada-webhook",
  ]);
});
