import * as pulumi from "@pulumi/pulumi";
import { settled, withMocks } from "../support/mocks.ts";
import { resolveEtcdProgram } from "../../../spec/etcd-program.ts";
import type { Placement } from "../../../components/placement.ts";

const registered = await withMocks({
  "pulumi-nodejs:dynamic/kubernetes:LoadBalancerAddress": () => ({ address: "203.0.113.9" }),
});
const { placementOf } = await import("../../../stacks/placement-of.ts");

const kubeconfig = `
current-context: host
contexts: [{ name: host, context: { cluster: host, user: admin } }]
clusters: [{ name: host, cluster: { server: "https://10.0.0.1:6443" } }]
users: [{ name: admin, user: { token: t0ken } }]
`;
const hostKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}`;
const placed = (name: string, placement: object): Placement | Promise<Placement> => {
  const typed = { name, placement, snapshots: {} };
  const deployment = resolveEtcdProgram(typed, { stack: name, directory: "/stack", stateHome: "/state" });
  const { placement: there, ...rest } = deployment;
  const credentials = { kind: "kubeconfig", kubeconfig: pulumi.secret(kubeconfig) };
  const sealed = there.kind === "kubernetes" ? { ...there, credentials } : there;
  return placementOf({ ...rest, placement: sealed } as unknown as Parameters<typeof placementOf>[0]);
};
const inPods = (name: string, exposure: object) =>
  placed(name, { kind: "kubernetes", credentials: { kind: "kubeconfig", kubeconfig }, namespace: "db", exposure });

const onHosts = await placed("hosts", {
  kind: "hosts",
  ssh: { privateKey: "k3y" },
  hosts: [1, 2, 3].map((n) => ({ name: `db${n}`, address: `10.0.0.2${n}`, ssh: { hostKey } })),
});
const ports = await inPods("ports", { kind: "nodePort", addresses: ["10.0.0.11"] });
await inPods("balancer", { kind: "loadBalancer", etcd: {} });
await inPods("names", { kind: "ingress", host: "db.example.org" });
await settled();

const of = (deployment: string) => registered.filter(({ name }) => name.startsWith(`${deployment}-`));
const inputsOf = (name: string) => registered.find((each) => each.name === name)!.inputs;

test("hosts are looked at for etcd alone", () => {
  expect(["etcd-0", "etcd-2", "etcd-backup"].map((process) => onHosts.host(process))).toEqual([
    "10.0.0.21",
    "10.0.0.23",
    "10.0.0.21",
  ]);
  const { value } = inputsOf("hosts-preflight")["hosts"] as { value: Record<string, { ports: object; etcd: boolean }> };
  const wanted = Object.values(value ?? inputsOf("hosts-preflight")["hosts"]);
  expect(wanted.map(({ etcd, ports }) => [etcd, Object.keys(ports).sort()])).toEqual(
    [0, 1, 2].map((n) => [true, ["client", "metrics", "peer"].map((port) => `etcd-${n} ${port}`)]),
  );
});

test("a host cluster needs nothing for API servers", () => {
  const needs = inputsOf("ports-namespace");
  expect(Object.keys(needs["nodePorts"] as object)).toEqual(
    ["etcd-0", "etcd-1", "etcd-2"].map((name) => `${name}-outside`),
  );
  expect(needs["pods"]).toMatchObject({ apart: { etcd: 3 } });
  expect(`${ports.outside?.host("etcd-1")}:${ports.outside?.port("etcd-1", "client")}`).toBe("10.0.0.11:32380");
  expect(ports.host("etcd-1")).toBe("etcd-1.db.svc.cluster.local");
});

test("only etcd is led to from outside of a host cluster", () => {
  const services = (deployment: string) =>
    of(deployment)
      .filter(({ type }) => /:(Service|Ingress|LoadBalancerAddress)$/.test(type))
      .map(({ name }) => name);
  expect(services("balancer")).toEqual(["balancer-etcd-load-balancer", "balancer-etcd-load-balancer-address"]);
  expect(services("names").sort()).toEqual(["names-etcd", "names-etcd-outside"]);
});
