import * as pulumi from "@pulumi/pulumi";
import { deploymentOf } from "../support/deployment.ts";
import { settled, withMocks } from "../support/mocks.ts";
import type { InPods } from "../../../components/placement/kubernetes.ts";

const registered = await withMocks({
  "pulumi-nodejs:dynamic/kubernetes:LoadBalancerAddress": ({ service }) => ({
    address: service === "etcd-load-balancer" ? "203.0.113.9" : "lb.cloud.example.org",
  }),
});
const { kubernetesPlacement } = await import("../../../components/placement/kubernetes.ts");

const kubeconfig = `
current-context: host
contexts: [{ name: host, context: { cluster: host, user: admin } }]
clusters: [{ name: host, cluster: { server: "https://10.0.0.1:6443" } }]
users: [{ name: admin, user: { token: t0ken } }]
`;
const exposed = async (name: string, exposure: object, etcd = {}) => {
  const { placement, ...rest } = deploymentOf({
    name,
    etcd: { kind: "managed", ...etcd },
    placement: {
      kind: "kubernetes",
      credentials: { kind: "kubeconfig", kubeconfig },
      namespace: "fleet",
      exposure,
    },
  });
  const credentials = { kind: "kubeconfig", kubeconfig: pulumi.secret(kubeconfig) };
  const made = await kubernetesPlacement({ ...rest, placement: { ...placement, credentials } } as unknown as InPods);
  const reach = (process: string, port: string) =>
    `${made.outside?.host(process)}:${made.outside?.port(process, port)}`;
  return {
    api: reach("karmada-apiserver", "secure"),
    etcd: ["etcd-0", "etcd-2"].map((member) => reach(member, "client")),
    ...("overrides" in etcd && { others: ["etcd-often-2", "etcd-leases-0"].map((member) => reach(member, "client")) }),
    names: ["karmada-apiserver", "etcd-2", "karmada-webhook"].map((process) => made.outerNames?.(process)),
  };
};
const split = {
  members: 1,
  overrides: [
    { name: "often", resources: ["/events"], members: 3 },
    { name: "leases", resources: ["coordination.k8s.io/leases"] },
  ],
};
const splitBy = {
  ports: await exposed("ports", { kind: "nodePort", addresses: ["10.0.0.11"] }, split),
  balancer: await exposed("balancer", { kind: "loadBalancer", etcd: { address: "10.0.0.100" } }, split),
  name: await exposed("name", { kind: "ingress", host: "karmada.example.org" }, split),
  pods: await exposed("pods", { kind: "clusterIP" }, split),
  route: await exposed("route", { kind: "clusterIP", addresses: ["10.0.0.5"] }, split),
};
const annotations = { "example.org/name": "karmada" };
const declared = await exposed("declared", {
  kind: "loadBalancer",
  address: "karmada.example.org",
  port: 443,
  annotations,
  sourceRanges: ["10.0.0.0/8"],
  loadBalancerClass: "example.org/lb",
  etcd: { address: "10.0.0.100", port: 12379, sourceRanges: ["10.0.0.7/32"] },
});
const assigned = await exposed("assigned", { kind: "loadBalancer", etcd: { annotations } });
const byName = await exposed("named", {
  kind: "ingress",
  host: "karmada.example.org",
  etcdDomain: "etcd.example.org",
  port: 8443,
  ingressClass: "passing",
  annotations,
});
const inside = await exposed("inside", { kind: "clusterIP" });
const routed = await exposed("routed", { kind: "clusterIP", addresses: ["vip.example.org", "10.0.0.5"], etcd: 4379 });
await settled();

// Objects as their API has them: whatever field is asked for.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const found = (type: string, name: string): any =>
  registered.find((each) => each.type.endsWith(type) && each.name === name)?.inputs;
const members = [0, 1, 2, 3, 4];

test("load balancers have the addresses that are declared, and each member of etcd a port", () => {
  expect(declared).toEqual({
    api: "karmada.example.org:443",
    etcd: ["10.0.0.100:12379", "10.0.0.100:12381"],
    names: [["karmada.example.org"], ["10.0.0.100"], []],
  });
  const { metadata, spec } = found(":Service", "declared-karmada-apiserver-load-balancer");
  expect(metadata.annotations).toEqual({ ...annotations, "pulumi.com/skipAwait": "true" });
  expect(spec).toEqual({
    type: "LoadBalancer",
    loadBalancerClass: "example.org/lb",
    loadBalancerSourceRanges: ["10.0.0.0/8"],
    selector: { "app.kubernetes.io/instance": "karmada-apiserver" },
    ports: [{ name: "secure", port: 443, targetPort: 5443 }],
  });
  expect(found(":Service", "declared-etcd-load-balancer").spec).toEqual({
    type: "LoadBalancer",
    loadBalancerClass: "example.org/lb",
    loadBalancerSourceRanges: ["10.0.0.7/32"],
    selector: { "app.kubernetes.io/name": "etcd" },
    publishNotReadyAddresses: true,
    // Those that may come, or have yet to leave, have theirs as well.
    ports: members.map((i) => ({ name: `etcd-${i}`, port: 12379 + i, targetPort: `etcd-${i}` })),
  });
});

test("load balancers of which no address is declared are gone to where they were assigned one", () => {
  expect(assigned).toEqual({
    api: "lb.cloud.example.org:5443",
    etcd: ["203.0.113.9:2379", "203.0.113.9:2381"],
    names: [["lb.cloud.example.org"], ["203.0.113.9"], []],
  });
  expect(found(":LoadBalancerAddress", "assigned-etcd-load-balancer-address")).toMatchObject({
    namespace: "fleet",
    service: "etcd-load-balancer",
    annotations,
  });
  expect(found(":LoadBalancerAddress", "assigned-karmada-apiserver-load-balancer-address").annotations).toEqual({});
});

test("an Ingress has a name for the API servers and for each member of etcd, and no certificate", () => {
  expect(byName).toEqual({
    api: "karmada.example.org:8443",
    etcd: ["etcd-0.etcd.example.org:8443", "etcd-2.etcd.example.org:8443"],
    names: [["karmada.example.org"], ["etcd-2.etcd.example.org"], []],
  });
  const path = (name: string, number: number) => ({
    paths: [{ path: "/", pathType: "Prefix", backend: { service: { name, port: { number } } } }],
  });
  expect(found(":Ingress", "named-karmada-apiserver")).toMatchObject({
    metadata: { namespace: "fleet", annotations },
    spec: {
      ingressClassName: "passing",
      tls: [{ hosts: ["karmada.example.org"] }],
      rules: [{ host: "karmada.example.org", http: path("karmada-apiserver", 5443) }],
    },
  });
  expect(found(":Ingress", "named-etcd").spec.rules).toEqual(
    members.map((i) => ({ host: `etcd-${i}.etcd.example.org`, http: path("etcd-outside", 2379 + i) })),
  );
  expect(found(":Service", "named-etcd-outside").spec).toMatchObject({ type: "ClusterIP" });
  expect(found(":OwnedNamespace", "named-namespace")).toMatchObject({
    nodePorts: {},
    ingress: { ingressClass: "passing", annotations },
  });
});

test("without an exposure this program goes where pods go, or where a route is said to lead", () => {
  expect(inside).toEqual({
    api: "karmada-apiserver.fleet.svc.cluster.local:5443",
    etcd: ["etcd-0.fleet.svc.cluster.local:2379", "etcd-2.fleet.svc.cluster.local:2379"],
    names: [["karmada-apiserver.fleet.svc.cluster.local"], ["etcd-2.fleet.svc.cluster.local"], []],
  });
  expect(routed).toEqual({
    api: "vip.example.org:5443",
    etcd: ["vip.example.org:4379", "vip.example.org:4381"],
    names: [["vip.example.org", "10.0.0.5"], ["vip.example.org", "10.0.0.5"], []],
  });
  expect(found(":Service", "routed-etcd-outside").spec.ports[2]).toEqual({
    name: "etcd-2",
    port: 2381,
    targetPort: "etcd-2",
  });
});

test("members of etcds for some kinds of objects are reached as those of the first one are, by ports and names of their own", () => {
  expect(Object.fromEntries(Object.entries(splitBy).map(([how, { others }]) => [how, others]))).toEqual({
    ports: ["10.0.0.11:32391", "10.0.0.11:32399"],
    balancer: ["10.0.0.100:2391", "10.0.0.100:2399"],
    name: ["etcd-often-2.karmada.example.org:443", "etcd-leases-0.karmada.example.org:443"],
    pods: ["etcd-often-2.fleet.svc.cluster.local:2379", "etcd-leases-0.fleet.svc.cluster.local:2379"],
    route: ["10.0.0.5:2391", "10.0.0.5:2399"],
  });
  const ports = [
    ...members.map((i) => [`etcd-${i}`, 2379 + i]),
    ...[0, 1, 2].map((i) => [`etcd-events-${i}`, 2389 + i]),
    ...[0, 1, 2].map((i) => [`etcd-leases-${i}`, 2399 + i]),
  ];
  for (const service of ["balancer-etcd-load-balancer", "name-etcd-outside", "route-etcd-outside"])
    expect(found(":Service", service).spec.ports).toEqual(
      ports.map(([name, port]) => ({ name, port, targetPort: name })),
    );
  expect(found(":Ingress", "name-etcd").spec.rules.slice(-1)).toEqual([
    {
      host: "etcd-leases-2.karmada.example.org",
      http: {
        paths: [
          { path: "/", pathType: "Prefix", backend: { service: { name: "etcd-outside", port: { number: 2401 } } } },
        ],
      },
    },
  ]);
  expect(found(":OwnedNamespace", "ports-namespace").nodePorts).toEqual({
    "karmada-apiserver": [32443],
    "etcd-0-outside": [32379],
    ...Object.fromEntries([0, 1, 2].map((i) => [`etcd-often-${i}-outside`, [32389 + i]])),
    "etcd-leases-0-outside": [32399],
  });
});
