/** In what order a Karmada on hosts starts where nothing of it has served yet, and changes where it serves. */
import { createAuthority } from "../support/certificates.ts";
import { deploymentOf } from "./support/deployment.ts";
import { settled, withMocks } from "./support/mocks.ts";
import type { OnHosts } from "../../components/placement/hosts.ts";

const dynamic = "pulumi-nodejs:dynamic";
const registered = await withMocks({
  "tls:index/privateKey:PrivateKey": () => ({ privateKeyPem: "KEY", publicKeyPem: "PUBLIC" }),
  "tls:index/selfSignedCert:SelfSignedCert": () => ({ certPem: "CA", validityEndTime: "2036-01-01T00:00:00Z" }),
  "tls:index/certRequest:CertRequest": () => ({ certRequestPem: "REQUEST" }),
  "tls:index/locallySignedCert:LocallySignedCert": () => ({
    certPem: "CERT",
    validityEndTime: "2027-01-01T00:00:00Z",
  }),
  [`${dynamic}/local:Program`]: ({ name }) => ({ path: `/store/${String(name)}`, sha256: "d".repeat(64) }),
  [`${dynamic}/hosts:HostPreflight`]: ({ deployment }) => ({
    interfaces: Object.fromEntries([1, 2, 3].map((n) => [`host${n}`, { own: "eth0", vip: "eth0" }])),
    ...(deployment === "fresh" && { firstTakenAt: Date.now() }),
  }),
  [`${dynamic}/hosts:HostPreparedProcess`]: () => ({ revision: "r" }),
  [`${dynamic}/etcd:EtcdHealth`]: () => ({ clusterId: "c1", members: [] }),
  [`${dynamic}/etcd:EtcdMembership`]: () => ({ memberStates: [] }),
});
const { Karmada } = await import("../../components/karmada.ts");
const { hostsPlacement } = await import("../../components/placement/hosts.ts");

const hostKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}`;

beforeAll(async () => {
  const { certificate, key } = await createAuthority("etcd");
  const theirs = { kind: "external", endpoints: ["https://10.0.0.9:2379"], ca: certificate, certificate, key };
  for (const name of ["fresh", "serving", "outlived"]) {
    const deployment = deploymentOf({
      name,
      ...(name === "outlived" && { etcd: theirs }),
      placement: {
        kind: "hosts",
        ssh: { privateKey: "k3y" },
        hosts: [1, 2, 3].map((n) => ({ name: `host${n}`, address: `10.0.0.1${n}`, ssh: { hostKey } })),
        loadBalancer: { kind: "haproxy", vip: "10.0.0.100" },
      },
    }) as unknown as OnHosts;
    new Karmada(name, { deployment: deployment as never, placement: hostsPlacement(deployment) });
    await settled();
  }
}, 60_000);

/** Those of these programs that a resource waits for. */
function waitsFor(deployment: string, name: string, programs: RegExp): string[] {
  const found = registered.find((resource) => resource.name === `${deployment}-${name}`);
  if (found === undefined) throw new Error(`nothing is called ${deployment}-${name}`);
  return found.dependsOn.map((each) => each.replace(`${deployment}-`, "")).filter((each) => programs.test(each));
}

const apiservers = ["karmada-apiserver", "karmada-apiserver-1", "karmada-apiserver-2"];

test("on fresh hosts the load balancer is set up beside the API servers, and the first that serves is enough to go on with", () => {
  expect(waitsFor("fresh", "haproxy-host1", /apiserver|etcd-proxy/)).toEqual(
    [1, 2, 3].map((n) => `etcd-proxy-host${n}`),
  );
  expect(waitsFor("fresh", "control-plane-api-ready", /^karmada-apiserver|haproxy|keepalived/)).toEqual([
    ...[1, 2, 3].map((n) => `haproxy-host${n}`),
    "karmada-apiserver",
    ...[1, 2, 3].map((n) => `keepalived-host${n}`),
  ]);
  for (const apiserver of apiservers) expect(waitsFor("fresh", apiserver, /^karmada-apiserver/)).toEqual([]);
});

test("what leads to etcd comes up beside it on fresh hosts, and changes after it where it serves", () => {
  for (const n of [1, 2, 3]) {
    expect(waitsFor("fresh", `etcd-proxy-host${n}`, /etcd-health/)).toEqual([]);
    expect(waitsFor("serving", `etcd-proxy-host${n}`, /etcd-health/)).toEqual(["etcd-health"]);
  }
});

test.each(["kube-controller-manager", "karmada-webhook", "karmada-aggregated-apiserver", "karmada-scheduler"])(
  "each %s waits for the API server that it uses",
  (name) => {
    const replicas = [name, `${name}-1`, `${name}-2`];
    expect(replicas.map((replica) => waitsFor("fresh", replica, /^karmada-apiserver/))).toEqual(
      apiservers.map((apiserver) => [apiserver]),
    );
  },
);

test("those that serve change first, one after another, then what leads to them, and then what uses them", () => {
  expect(apiservers.map((name) => waitsFor("serving", name, /^karmada-apiserver/))).toEqual([
    [],
    ["karmada-apiserver"],
    ["karmada-apiserver-1"],
  ]);
  expect(waitsFor("serving", "haproxy-host1", /^karmada-apiserver/)).toEqual(apiservers);
  expect(waitsFor("serving", "control-plane-api-ready", /^karmada-apiserver/)).toEqual(apiservers);
});

test("kube-controller-manager comes last, but before what it is needed for to be deleted one by one", () => {
  const aggregation = /aggregated-apiserver|cluster\.karmada\.io/;
  expect(waitsFor("fresh", "kube-controller-manager", aggregation)).not.toEqual([]);
  expect(waitsFor("outlived", "kube-controller-manager", aggregation)).toEqual([]);
  expect(waitsFor("fresh", "kube-controller-manager", /karmada-controller-manager/)).toEqual([]);
});
