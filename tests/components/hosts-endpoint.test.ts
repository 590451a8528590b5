/** What another endpoint means for a Karmada on hosts, as a preview has it: the inputs of every resource, before and after. */
import * as pulumi from "@pulumi/pulumi";
import { createAuthority } from "../support/certificates.ts";
import { kubeconfigOf } from "../support/cluster.ts";
import { deploymentOf } from "./support/deployment.ts";
import { settled, withMocks } from "./support/mocks.ts";
import type { OnHosts } from "../../components/placement/hosts.ts";

type WholeDeployment = Extract<OnHosts, { readonly members: unknown }>;

const dynamic = "pulumi-nodejs:dynamic";
const registered = await withMocks({
  "tls:index/privateKey:PrivateKey": () => ({ privateKeyPem: "KEY", publicKeyPem: "PUBLIC" }),
  "tls:index/selfSignedCert:SelfSignedCert": () => ({ certPem: "CA", validityEndTime: "2036-01-01T00:00:00Z" }),
  "tls:index/certRequest:CertRequest": ({ dnsNames, ipAddresses }) => ({
    certRequestPem: `REQUEST ${JSON.stringify([dnsNames, ipAddresses])}`,
  }),
  "tls:index/locallySignedCert:LocallySignedCert": ({ certRequestPem }) => ({
    certPem: `CERT ${String(certRequestPem)}`,
    validityEndTime: "2027-01-01T00:00:00Z",
  }),
  [`${dynamic}/local:Program`]: ({ name }) => ({ path: `/store/${String(name)}`, sha256: "d".repeat(64) }),
  [`${dynamic}/hosts:HostPreflight`]: () => ({
    interfaces: Object.fromEntries([1, 2, 3].map((n) => [`host${n}`, { own: "eth0", vip: "eth0" }])),
  }),
  [`${dynamic}/hosts:HostPreparedProcess`]: () => ({ revision: "r" }),
  [`${dynamic}/etcd:EtcdHealth`]: () => ({ clusterId: "c1", members: [] }),
  [`${dynamic}/etcd:EtcdMembership`]: () => ({ memberStates: [] }),
  [`${dynamic}/members:ClusterRegistration`]: () => ({ uid: "uid", apiEndpoint: "https://m1.test", registered: "uid" }),
  [`${dynamic}/members:MemberAccess`]: ({ cluster, purpose }) => ({
    kubeconfig: `${String(purpose)} in ${String(cluster)}`,
  }),
  [`${dynamic}/members:PulledMember`]: () => ({ ready: true, kubernetesVersion: "v1.35.3" }),
});
const { Karmada } = await import("../../components/karmada.ts");
const { hostsPlacement } = await import("../../components/placement/hosts.ts");

const hostKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}`;
const authority = await createAuthority("m1");
const kubeconfig = kubeconfigOf(
  "https://10.0.9.1:6443",
  authority.certificate,
  await authority.issue({ commonName: "admin" }),
);

/** Every resource of the deployment, and what it is declared with. */
async function declared(loadBalancer: object): Promise<ReadonlyMap<string, string>> {
  const from = registered.length;
  await endpointsWith(loadBalancer);
  return new Map(registered.slice(from).map(({ type, name, inputs }) => [`${type} ${name}`, JSON.stringify(inputs)]));
}

async function endpointsWith(loadBalancer: object): Promise<readonly string[]> {
  const deployment = deploymentOf({
    placement: {
      kind: "hosts",
      ssh: { privateKey: "k3y" },
      hosts: [1, 2, 3].map((n) => ({ name: `host${n}`, address: `10.0.0.1${n}`, ssh: { hostKey } })),
      loadBalancer,
    },
    members: [{ name: "m1", syncMode: "Pull", credentials: { kind: "kubeconfig", kubeconfig } }],
  }) as unknown as WholeDeployment;
  // The stack program does that with its secrets.
  const credentials = { kind: "kubeconfig", kubeconfig: pulumi.secret(kubeconfig) };
  const members = deployment.members.map((member) => ({ ...member, credentials }));
  const sealed = { ...deployment, members };
  const karmada = new Karmada("test", { deployment: sealed as never, placement: hostsPlacement(deployment) });
  await settled();
  return karmada.endpoints;
}

test("what stands in front comes before the API servers, and one of these is told once where it does", async () => {
  const servers = [1, 2, 3].map((n) => `https://10.0.0.1${n}:5443`);
  const endpoint = "https://lb.example.org:443";
  expect(await endpointsWith({ kind: "external", endpoint })).toEqual([endpoint, ...servers]);
  expect(await endpointsWith({ kind: "external", endpoint: servers[1] })).toEqual([servers[1], servers[0], servers[2]]);
});

const external = (name: string) => ({ kind: "external", endpoint: `https://${name}.example.org:443` });
const ours = (more: object = {}) => ({ kind: "haproxy", vip: "10.0.0.100", ...more });

let usual: ReadonlyMap<string, string>;
let foreign: ReadonlyMap<string, string>;
beforeAll(async () => {
  usual = await declared(ours());
  foreign = await declared(external("karmada"));
}, 60_000);

/** What changes between two load balancers, by kind. */
function between(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  const differing = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => before.get(key) !== after.get(key),
  );
  const of = (type: RegExp) =>
    differing.flatMap((key) => (type.test(key) ? [key.split(" ")[1]!.replace("test-", "")] : [])).sort();
  return {
    certificates: of(/^tls:/),
    units: of(/Host\w*Process /),
    preflight: of(/HostPreflight /),
    others: of(/^(?!tls:|.*Host)/),
  };
}

const apiservers = ["karmada-apiserver", "karmada-apiserver-1", "karmada-apiserver-2"];
const certificates = ["pki-apiserver", "pki-apiserver-request"];
/** What asks the API server with the administrator's kubeconfig, or tells members where it is. */
const goingByIt = [
  "control-plane-api-cluster-info",
  "control-plane-api-crds",
  "control-plane-api-provider",
  "control-plane-api-ready",
  "control-plane-gate",
  "control-plane-versions",
  "declared-members",
  "member-m1-agent-access",
  "member-m1-pulled",
  "member-m1-registration",
];

test("the same endpoint changes no certificate, unit or preflight", async () => {
  expect(between(usual, await declared(ours()))).toEqual({ certificates: [], units: [], preflight: [], others: [] });
});

test("another address of ours: the API servers' certificate, keepalived, and all that goes by the administrator's or an agent's kubeconfig", async () => {
  expect(between(usual, await declared(ours({ vip: "10.0.0.101" })))).toEqual({
    certificates,
    units: [...apiservers, "keepalived-host1", "keepalived-host2", "keepalived-host3", "m1-karmada-agent"],
    preflight: ["preflight"],
    others: goingByIt,
  });
});

test("another port of ours: haproxy instead of keepalived and the certificate", async () => {
  expect(between(usual, await declared(ours({ port: 443 })))).toEqual({
    certificates: [],
    units: ["haproxy-host1", "haproxy-host2", "haproxy-host3", "m1-karmada-agent"],
    preflight: ["preflight"],
    others: goingByIt,
  });
});

test("another name of the operator's: the certificate, an agent's kubeconfig, whether hosts resolve it and whether it leads there", async () => {
  expect(between(foreign, await declared(external("other")))).toEqual({
    certificates,
    units: [...apiservers, "m1-karmada-agent"],
    preflight: ["preflight"],
    others: ["endpoint"],
  });
});

test("an address of the operator's is asked once Karmada works, with a kubeconfig that goes by it", () => {
  const asked = registered.filter(({ name }) => name === "test-endpoint");
  expect(asked[0]).toMatchObject({
    type: `${dynamic}/kube:ApiReady`,
    dependsOn: expect.arrayContaining(["test-control-plane-gate"]),
  });
  expect(foreign.get(`${dynamic}/kube:ApiReady test-endpoint`)).toContain("server: https://karmada.example.org:443");
});
