import { neededPrograms } from "../../cli/stack/programs.ts";
import { defaultVersions } from "../../toolchain/index.ts";

const names = (placement: "local" | "hosts" | "kubernetes" | "none", ...programs: string[]) =>
  neededPrograms({ versions: defaultVersions, ownVersions: {}, placement, programs }).map(({ name }) => name);

const servers = [
  "pulumi",
  "etcd",
  "etcdctl",
  "etcdutl",
  "kube-apiserver",
  "kube-controller-manager",
  "kubectl",
  "karmada-aggregated-apiserver",
  "karmada-controller-manager",
  "karmada-scheduler",
  "karmada-webhook",
  "karmada-descheduler",
  "karmada-search",
  "karmada-metrics-adapter",
  "karmadactl",
  "karmada-crds",
];

test("processes on this machine need every server's program, and those of simulated members", () => {
  expect(names("local").toSorted()).toEqual([...servers, "kube-scheduler", "kwok"].toSorted());
});

test("hosts are sent every server's program from this machine, and agents where there are any", () => {
  expect(names("hosts")).toEqual(servers);
  expect(names("hosts", "karmada-agent")).toContain("karmada-agent");
});

test("for pods, which have images, only what manages them is needed here", () => {
  expect(names("kubernetes", "karmada-agent")).toEqual(["pulumi", "kubectl", "karmadactl", "karmada-crds"]);
  expect(names("kubernetes", "etcd", "etcdutl", "helm").toSorted()).toEqual(
    ["pulumi", "kubectl", "karmadactl", "karmada-crds", "etcd", "etcdutl", "helm"].toSorted(),
  );
});

test("a stack without servers needs only what it names, beside pulumi", () => {
  expect(names("none")).toEqual(["pulumi"]);
  expect(names("none", "kubectl", "karmadactl")).toEqual(["pulumi", "kubectl", "karmadactl"]);
  expect(names("none", "etcd", "etcdutl")).toEqual(["pulumi", "etcd", "etcdutl"]);
});
