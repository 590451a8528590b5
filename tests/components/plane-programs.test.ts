import { formerPrograms, planePrograms } from "../../components/plane-programs.ts";
import { controlPlaneProcesses, type Places } from "../../components/processes/control-plane.ts";
import { managedEtcd } from "../../components/processes/etcd-cluster.ts";
import { deploymentOf } from "./support/deployment.ts";
import type { everything } from "./support/processes.ts";

const { connection } = managedEtcd({ members: ["etcd-0"], version: "3.6.6", quota: "8Gi", extraArgs: {} });
const processesOf = (deployment: typeof everything, places: Places = {}) =>
  controlPlaneProcesses(deployment, connection, places);
const lease = (name: string, namespace = "karmada-system") => ({ kind: "lease", namespace, name });
const servers = [
  { name: "karmada-aggregated-apiserver", sign: { kind: "apis", service: "karmada-aggregated-apiserver" } },
  { name: "karmada-webhook", sign: { kind: "admission" } },
];
const search = { name: "karmada-search", sign: { kind: "apis", service: "karmada-search" } };
const adapter = { name: "karmada-metrics-adapter", sign: { kind: "apis", service: "karmada-metrics-adapter" } };

test("a program is known by the lease it is in an election for, else by its probe on the machine that has all of them", () => {
  const signs = { controlPlane: { "karmada-scheduler": { replicas: 2 } } };
  const probeFromHere = ({ name }: { name: string }) => ({ kind: "tcp", host: name, port: 1 }) as const;
  expect(planePrograms(processesOf(deploymentOf(signs)), { probeFromHere })).toEqual([
    { name: "kube-apiserver", sign: { kind: "readyz" } },
    {
      name: "kube-controller-manager",
      sign: { kind: "probe", probe: probeFromHere({ name: "kube-controller-manager" }) },
    },
    ...servers,
    {
      name: "karmada-controller-manager",
      sign: { kind: "probe", probe: probeFromHere({ name: "karmada-controller-manager" }) },
    },
    { name: "karmada-scheduler", sign: lease("karmada-scheduler") },
  ]);
});

test("by nothing where it works alone on a host, which is named", () => {
  const hostName = (process: string) => `host of ${process}`;
  const alone = planePrograms(processesOf(deploymentOf({})), { hostName }).filter(({ sign }) => sign.kind === "none");
  expect(alone).toEqual([
    ...["kube-controller-manager", "karmada-controller-manager", "karmada-scheduler"].map((name) => ({
      name,
      sign: { kind: "none", host: `host of ${name}` },
    })),
  ]);
});

test("copies are always in an election, for the lease that their flags name", () => {
  const named = { "leader-elect-resource-name": "by-price" };
  const deployment = deploymentOf({
    controlPlane: {
      "karmada-search": { enabled: true },
      "karmada-metrics-adapter": { enabled: true },
      "karmada-descheduler": { enabled: true },
      "karmada-scheduler": { extraArgs: named },
    },
  });
  expect(planePrograms(processesOf(deployment, { copies: true }), {})).toEqual([
    { name: "kube-apiserver", sign: { kind: "readyz" } },
    { name: "kube-controller-manager", sign: lease("kube-controller-manager", "kube-system") },
    ...servers,
    search,
    adapter,
    { name: "karmada-controller-manager", sign: lease("karmada-controller-manager") },
    { name: "karmada-scheduler", sign: lease("by-price") },
    { name: "karmada-descheduler", sign: lease("karmada-descheduler") },
  ]);
});

test("of a stack that does not tell them they are known by its versions", () => {
  const names = ["karmada-apiserver", "karmada-apiserver-1", "karmada-webhook", "karmada-aggregated-apiserver"];
  const controllers = ["kube-controller-manager", "kube-controller-manager-1", "karmada-scheduler", "m1-karmada-agent"];
  const versions = Object.fromEntries([...names, ...controllers, "etcd-0"].map((name) => [name, "1.0.0"]));
  expect(formerPrograms(versions)).toEqual([
    { name: "kube-apiserver", sign: { kind: "readyz" } },
    { name: "kube-controller-manager", sign: lease("kube-controller-manager", "kube-system") },
    ...servers,
    { name: "karmada-scheduler", sign: { kind: "none" } },
  ]);
  expect(formerPrograms({})).toEqual([]);
});
