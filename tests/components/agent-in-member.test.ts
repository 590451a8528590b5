/** An agent in its member: what is declared there, in which order, and what leads it to the control plane. */
import * as pulumi from "@pulumi/pulumi";
import { oneContext } from "../../lib/kube/one-context.ts";
import { wayDigest } from "../../lib/members/way-digest.ts";
import type { FileContents } from "../../components/placement.ts";
import type { Process } from "../../components/process.ts";
import { deploymentOf } from "./support/deployment.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { ofEtcd, ofPki, settled, valueOf, withMocks } from "./support/mocks.ts";
import { sampleKubeconfig } from "../support/sample-kubeconfig.ts";

const dynamic = "pulumi-nodejs:dynamic";
const registered = await withMocks({
  ...ofPki,
  ...ofEtcd,
  [`${dynamic}/members:ClusterRegistration`]: ({ cluster }) => ({
    uid: `uid-of-${String(cluster)}`,
    apiEndpoint: "https://oslo.example.org:6443",
    registered: "uid-of-cluster",
  }),
  [`${dynamic}/members:AgentCertificate`]: () => ({
    certificate: "SIGNED",
    key: "KEY OF ITS OWN",
    expires: "2026-12-01T00:00:00Z",
  }),
  [`${dynamic}/members:PulledMember`]: () => ({ ready: true, kubernetesVersion: "v1.35.3" }),
});
const { Karmada } = await import("../../components/karmada.ts");

const kubeconfig = sampleKubeconfig();
const credentials = { kind: "kubeconfig", kubeconfig };
const login = JSON.stringify({ auths: { "oslo.example.org": { auth: "bWU6cDRzcw==" } } });
const deployment = deploymentOf({
  pki: { extraNames: ["karmada.example.org"] },
  controlPlane: { "karmada-agent": { resources: { memory: "256Mi" } } },
  members: [
    {
      name: "oslo",
      syncMode: "Pull",
      rotate: 1,
      preserveWorkloads: true,
      credentials,
      agent: {
        kind: "inMember",
        server: "https://karmada.example.org:5443",
        images: { karmada: "oslo.example.org/karmada", login },
        nodeSelector: { zone: "a" },
        tolerations: [{ key: "only", value: "us" }],
        networkPolicies: { metricsFrom: ["monitoring"] },
      },
    },
    {
      name: "rome",
      syncMode: "Pull",
      handOver: true,
      credentials,
      agent: { kind: "inMember", server: "https://karmada.example.org:5443", namespace: "far" },
    },
    { name: "paris", syncMode: "Pull", credentials, agent: { kind: "beside", registration: "bootstrapToken" } },
  ],
});
const placed: string[] = [];
const given = new Map<string, FileContents>();
class Placed extends pulumi.CustomResource {
  constructor({ name }: Process, opts: pulumi.CustomResourceOptions) {
    placed.push(name);
    super("test:index:Placed", name, {}, opts);
  }
}
// The stack program does that with its secrets.
const sealed = {
  ...deployment,
  members: deployment.members.map((member) => ({
    ...member,
    credentials: { ...member.credentials, kubeconfig: pulumi.secret(kubeconfig) },
    ...(member.name === "oslo" && {
      agent: {
        ...member.agent,
        images: { ...(member.agent as { images: object }).images, login: pulumi.secret(login) },
      },
    }),
  })),
};
const karmada = new Karmada("prod", {
  deployment: sealed as never,
  placement: fakePlacement(
    (process, files, opts) => {
      given.set(process.name, files);
      return { resource: new Placed(process, opts), version: pulumi.output("v") };
    },
    (process, _files, opts) => ({
      resource: new Placed(process, opts),
      version: pulumi.output("v"),
      revision: pulumi.output("r"),
    }),
  ),
});
const versions = valueOf(karmada.versions);
const certificates = valueOf(karmada.certificates);
await settled();

const find = (type: string, name: string) => {
  const found = registered.find((each) => each.type.endsWith(`:${type}`) && each.name === name);
  if (found === undefined) throw new Error(`there is no ${type} ${name}`);
  return found;
};
const home = "prod-member-oslo-agent-home";
const ofAgent = "prod-member-oslo-oslo-karmada-agent";

test("it is a Deployment of one pod in the member, and no process beside the control plane", async () => {
  expect(placed).toContain("paris-karmada-agent");
  expect(placed).not.toContain("oslo-karmada-agent");
  const { metadata, spec } = find("Deployment", ofAgent).inputs;
  expect(metadata).toMatchObject({ name: "oslo-karmada-agent", namespace: "karmada-agent" });
  expect([spec.replicas, spec.strategy]).toEqual([1, { type: "Recreate" }]);
  expect(metadata.annotations).toEqual({
    "pulumi.com/waitFor":
      '["jsonpath={.status.updatedReplicas}=1","jsonpath={.status.replicas}=1","jsonpath={.status.availableReplicas}=1"]',
  });
  const pod = spec.template.spec;
  expect(pod).toMatchObject({
    serviceAccountName: "karmada-agent",
    automountServiceAccountToken: true,
    nodeSelector: { zone: "a" },
    tolerations: [{ key: "only", value: "us" }],
    imagePullSecrets: [{ name: "registry-login" }],
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  });
  const [container] = pod.containers;
  expect(container).toMatchObject({
    image: "oslo.example.org/karmada/karmada-agent:v1.18.2",
    command: ["karmada-agent"],
    args: [
      "--karmada-kubeconfig=/etc/karmada/karmada.config",
      "--cluster-name=oslo",
      "--cluster-api-endpoint=https://oslo.example.org:6443",
      "--report-secrets=None",
      "--leader-elect=false",
      "--cluster-status-update-frequency=10s",
      "--rate-limiter-max-delay=10s",
      "--metrics-bind-address=0.0.0.0:8080",
      "--health-probe-bind-address=0.0.0.0:10357",
      "--v=2",
    ],
    resources: { limits: { memory: "256Mi" } },
    securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    startupProbe: { httpGet: { port: 10357, path: "/healthz", scheme: "HTTP" } },
  });
  expect(await versions).toMatchObject({ "oslo-karmada-agent": "1.18.2", "paris-karmada-agent": "v" });
});

test("its one file is a kubeconfig for the control plane as the member reaches it, by the agent's own certificate", () => {
  const { metadata, data } = find("Secret", `${ofAgent}-files`).inputs;
  const content = data.value as Record<string, string>;
  expect([metadata.namespace, Object.keys(content)]).toEqual(["karmada-agent", ["karmada.config"]]);
  const text = Buffer.from(content["karmada.config"]!, "base64").toString();
  expect(text).toContain("https://karmada.example.org:5443");
  expect(text).toContain("agent-oslo");
  expect(find("NetworkPolicy", ofAgent).inputs.spec.ingress).toEqual([
    {
      from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
      ports: [{ protocol: "TCP", port: 8080 }],
    },
  ]);
});

test("it has no token of ours in the member: none is made, and none to rotate", () => {
  const names = registered.map(({ name }) => name);
  expect(names).not.toContain("prod-member-oslo-agent-access");
  expect(names).not.toContain("prod-member-oslo-agent-superseded");
  expect(names).toContain("prod-member-paris-agent-access");
});

test("it comes after the registration and goes before it, and its namespace takes all of it along", () => {
  expect(find("AgentHome", home).dependsOn).toContain("prod-member-oslo-registration");
  expect(find("AgentHome", home).inputs).toMatchObject({
    cluster: "oslo",
    namespace: "karmada-agent",
    deployment: "test",
    pods: { nodeSelector: { zone: "a" }, tolerations: [{ key: "only", value: "us" }] },
  });
  expect(find("AgentHome", "prod-member-rome-agent-home").inputs["namespace"]).toBe("far");
  for (const [type, name] of [
    ["Deployment", ofAgent],
    ["Secret", `${ofAgent}-files`],
    ["Secret", "prod-member-oslo-registry-login"],
    ["NetworkPolicy", ofAgent],
  ] as const) {
    expect([name, find(type, name).deletedWith]).toEqual([name, home]);
    expect(find(type, name).dependsOn).toContain(home);
  }
  expect(find("PulledMember", "prod-member-oslo-pulled").dependsOn).toContain(ofAgent);
});

test("who empties a member goes before a registration that is replaced: its name is known through that", () => {
  for (const member of ["oslo", "rome", "paris"]) {
    const { madeOf, inputs } = find("PulledMember", `prod-member-${member}-pulled`);
    expect([inputs["cluster"], madeOf["cluster"]]).toEqual([member, [`prod-member-${member}-registration`]]);
  }
});

test("where what was propagated is to stay, who empties it has a way into it, and knows the account of its agent", () => {
  expect(find("ClusterRegistration", "prod-member-oslo-registration").inputs).toMatchObject({
    preserveWorkloads: true,
  });
  const ofOslo = { memberKubeconfig: { value: oneContext(kubeconfig) }, agentNamespace: "karmada-agent" };
  expect(find("PulledMember", "prod-member-oslo-pulled").inputs).toMatchObject(ofOslo);
  const others = find("PulledMember", "prod-member-paris-pulled").inputs;
  expect(Object.keys(others)).not.toEqual(expect.arrayContaining(["memberKubeconfig"]));
  expect(find("DeclaredMembers", "prod-declared-members").inputs).toMatchObject({ preserved: ["oslo"] });
});

test("of each kubeconfig that is given it is known in the preview whether another name had it", () => {
  const digest = wayDigest(kubeconfig);
  const kubeconfigs = { oslo: digest, paris: digest, rome: digest };
  // Secret, as a proxy's password may be guessed by them.
  expect(find("DeclaredMembers", "prod-declared-members").inputs).toMatchObject({
    kubeconfigs: { value: kubeconfigs },
  });
});

test("one that is let go of stays with its agent when it is no longer declared, and leaves nobody", () => {
  const kept = registered.filter(({ retainOnDelete }) => retainOnDelete).map(({ name }) => name);
  expect(kept).toEqual(
    expect.arrayContaining(["prod-member-rome-agent-home", "prod-member-rome-pulled", "prod-member-rome-registration"]),
  );
  expect(kept.filter((name) => !name.includes("rome"))).toEqual([]);
  const inIt = registered.filter(({ deletedWith }) => deletedWith === "prod-member-rome-agent-home");
  expect(inIt.map(({ retainOnDelete }) => retainOnDelete)).toEqual(inIt.map(() => true));
  expect(find("ClusterRegistration", "prod-member-rome-registration").inputs).toMatchObject({
    declaredBy: "karmada/test",
    handOver: true,
  });
  expect(find("DeclaredMembers", "prod-declared-members").inputs).toMatchObject({
    members: ["oslo", "paris"],
    declaredBy: "karmada/test",
    mayLeave: ["rome"],
  });
});

test("one that is registered by a token has the certificate that was signed for it, and none of the Pki", async () => {
  const name = "prod-member-paris-agent-certificate";
  expect(find("AgentCertificate", name).inputs).toMatchObject({
    cluster: "paris",
    authority: "CA",
    validSeconds: 8760 * 3600,
    renewBeforeSeconds: 720 * 3600,
  });
  expect(find("AgentCertificate", name).dependsOn).toContain("prod-member-paris-registration");
  const names = registered.map((each) => each.name);
  expect(names).toContain("prod-pki-agent-oslo");
  expect(names).not.toContain("prod-pki-agent-paris");
  const config = await valueOf(pulumi.output(given.get("paris-karmada-agent")?.["karmada.config"] ?? ""));
  expect(config).toContain("https://karmada-apiserver.test:6443");
  for (const text of ["SIGNED", "KEY OF ITS OWN"]) expect(config).toContain(Buffer.from(text).toString("base64"));
  expect(await certificates).toMatchObject({ "agent-paris": "2026-12-01T00:00:00Z" });
});

test("nothing of the control plane is restored by halting it", () => {
  expect(JSON.stringify(find("EtcdMembership", "prod-etcd-membership").inputs)).not.toContain("oslo-karmada-agent");
});
