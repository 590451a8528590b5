import * as pulumi from "@pulumi/pulumi";
import { fakePlacement } from "./support/fake-placement.ts";
import { deploymentOf } from "./support/deployment.ts";
import { ofPki, settled, valueOf, withMocks } from "./support/mocks.ts";
import type { FileContents } from "../../components/placement.ts";
import type { Process } from "../../components/process.ts";

const dynamic = "pulumi-nodejs:dynamic";
/** A member that is Ready, as it is found. */
const found = {
  ready: true,
  kubernetesVersion: "v1.35.3",
  seen: {
    readyReason: "ClusterReady",
    readySince: "2026-11-21T10:00:00Z",
    nodes: { ready: 3, total: 3 },
    allocatable: { cpu: "24", memory: "96Gi" },
  },
};
const registered = await withMocks({
  ...ofPki,
  [`${dynamic}/kube:EncryptionKeys`]: ({ resources }) => ({
    keys: [{ name: "key-1", secret: "SECRET" }],
    encrypted: resources,
    readable: resources,
    told: "t1",
    configuration: "KEYS",
    revision: "r1",
  }),
  [`${dynamic}/etcd:EtcdHealth`]: () => ({
    clusterId: "c1",
    members: [{ name: "etcd-0", version: "3.6.6", healthy: true }],
  }),
  [`${dynamic}/etcd:EtcdMembership`]: () => ({
    memberStates: [
      { name: "etcd-0", id: "a1", role: "voter", version: "3.6.6", incarnation: 1, revision: "r" },
      { name: "etcd-1", id: "b2", role: "voter", version: "3.6.6", incarnation: 2, revision: "s" },
    ],
  }),
  [`${dynamic}/members:ClusterRegistration`]: ({ cluster, syncMode }) => ({
    uid: `uid-of-${String(cluster)}`,
    apiEndpoint: "https://m1.test",
    ...(syncMode === "Push" ? found : { registered: "uid-of-cluster" }),
  }),
  [`${dynamic}/members:MemberAccess`]: ({ cluster, purpose }) => ({
    kubeconfig: `${String(purpose)} in ${String(cluster)}`,
  }),
  [`${dynamic}/members:PulledMember`]: () => found,
});
const { Karmada } = await import("../../components/karmada.ts");

/** Stands for what a placement makes of a process. */
class Placed extends pulumi.CustomResource {
  constructor(process: Process, opts: pulumi.CustomResourceOptions, how: "Placed" | "Prepared" = "Placed") {
    super(`test:index:${how}`, process.name, {}, opts);
  }
}

const versionOf = ({ program }: Process) => pulumi.output("version" in program ? program.version : "own");
const on = { enabled: true };
const given = new Map<string, FileContents>();
const deployment = deploymentOf({
  controlPlane: {
    encryption: { provider: "secretbox" },
    "karmada-scheduler": { replicas: 3, files: { "profile.yaml": { text: "profile" } } },
    "karmada-webhook": {
      files: { "hooks.yaml": { text: "kubeConfigFile: hook.kubeconfig" }, "hook.kubeconfig": { secretText: "LOGIN" } },
    },
    "karmada-search": on,
    "karmada-metrics-adapter": on,
    "karmada-descheduler": on,
    "karmada-scheduler-estimator": on,
  },
  members: [
    { name: "m1", labels: { tier: "gold" }, zones: ["z1"], credentials: { kind: "simulated", nodes: 3 } },
    { name: "m2", rotate: 1, credentials: { kind: "simulated" } },
    { name: "m3", syncMode: "Pull", rotateEvery: "720h", credentials: { kind: "simulated" } },
  ],
  membersMayLeave: ["m0"],
  policies: [
    {
      kind: "PropagationPolicy",
      name: "web",
      resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment" }],
      placement: { clusterAffinity: { clusterNames: ["m1"] } },
      spec: { priority: 5 },
    },
    { kind: "FederatedResourceQuota", name: "quota", namespace: "shop", overall: { cpu: "10" } },
    { kind: "ClusterPropagationPolicy", name: "web", resourceSelectors: [{ apiVersion: "v1", kind: "Namespace" }] },
    {
      kind: "WorkloadRebalancer",
      name: "again",
      workloads: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web" }],
    },
    {
      kind: "ResourceInterpreterCustomization",
      name: "jobs",
      target: { apiVersion: "batch/v1", kind: "Job" },
      customizations: { healthInterpretation: { luaScript: "function InterpretHealth(o) return true end" } },
    },
    {
      kind: "ResourceInterpreterWebhookConfiguration",
      name: "jobs",
      webhooks: [{ name: "a.b.c", clientConfig: { url: "https://a" } }],
    },
  ],
  snapshots: { targets: [{ kind: "local", directory: "/backup" }] },
  sample: true,
});
const karmada = new Karmada("prod", {
  deployment: deployment as never,
  placement: fakePlacement(
    (process, files, opts) => {
      given.set(process.name, files);
      return { resource: new Placed(process, opts), version: versionOf(process) };
    },
    (process, _files, opts) => ({
      resource: new Placed(process, opts, "Prepared"),
      version: versionOf(process),
      revision: pulumi.output(`revision of ${process.name}`),
    }),
  ),
});
const outputs = {
  members: valueOf(karmada.members),
  versions: valueOf(karmada.versions),
  etcd: valueOf(karmada.etcd),
  certificates: valueOf(karmada.certificates),
};
await settled();

const named = (name: string) => {
  const found = registered.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`nothing is called ${name}`);
  return found;
};
/** What a resource waits for that matters for the order: processes and gates. */
const waitsFor = (name: string) => named(name).dependsOn;

describe("the order of a Karmada", () => {
  test("etcd members are written down side by side and started by one; health is asked for after that", () => {
    for (const member of ["etcd-0", "etcd-1", "etcd-2"]) {
      expect(named(member).type).toBe("test:index:Prepared");
      expect(waitsFor(member).filter((name) => !name.startsWith("prod-pki"))).toEqual([]);
    }
    expect(waitsFor("prod-etcd-membership")).toEqual(expect.arrayContaining(["etcd-0", "etcd-1", "etcd-2"]));
    expect(waitsFor("prod-etcd-membership")).toContain("prod-snapshot-before-change");
    expect(waitsFor("prod-etcd-health")).toContain("prod-etcd-membership");
    expect(named("prod-etcd-health").inputs.after).toBe("etcd-0,a1,voter,3.6.6,1,r; etcd-1,b2,voter,3.6.6,2,s");
  });

  test("the API server waits for etcd, and everything in the API for the API server", () => {
    expect(waitsFor("karmada-apiserver")).toEqual(["prod-etcd-health"]);
    expect(waitsFor("prod-control-plane-api-ready")).toContain("karmada-apiserver");
    expect(waitsFor("prod-control-plane-api-provider")).toContain("prod-control-plane-api-ready");
  });

  test("servers behind the API server wait for the rights by which they know their callers", () => {
    for (const server of ["karmada-aggregated-apiserver", "karmada-search", "karmada-metrics-adapter"])
      expect(waitsFor(server)).toEqual(
        expect.arrayContaining([
          "prod-control-plane-api-auth-reader-binding",
          "prod-control-plane-api-auth-delegator-binding",
          `prod-control-plane-api-${server}-binding`,
        ]),
      );
  });

  test("an aggregated API does not wait for its server, since the server may wait for it", () => {
    expect(waitsFor("prod-control-plane-api-v1alpha1.search.karmada.io")).not.toContain("karmada-search");
    expect(waitsFor("karmada-search")).toContain("prod-control-plane-api-v1alpha1.search.karmada.io");
  });

  test("an `up` is done once calls are passed on to what is behind the API server", () => {
    expect(waitsFor("prod-control-plane-api-karmada-search-served")).toEqual(
      expect.arrayContaining(["karmada-search", "prod-control-plane-api-v1alpha1.search.karmada.io"]),
    );
    const adapter = "prod-control-plane-api-karmada-metrics-adapter-served";
    expect(waitsFor(adapter)).toContain("prod-control-plane-api-v1beta1.custom.metrics.k8s.io");
    expect(named(adapter).inputs).toMatchObject({
      apis: ["metrics.k8s.io/v1beta1", "custom.metrics.k8s.io/v1beta1", "custom.metrics.k8s.io/v1beta2"],
    });
  });

  test.each(["karmada-controller-manager", "karmada-scheduler", "karmada-descheduler"])(
    "%s waits for its API server, Karmada's kinds, the Cluster API, its rights and its lease",
    (controller) => {
      expect(waitsFor(controller)).toEqual(
        [
          "karmada-aggregated-apiserver",
          "karmada-apiserver",
          `prod-control-plane-api-${controller}-binding`,
          `prod-control-plane-api-${controller}-role`,
          "prod-control-plane-api-crds",
          "prod-control-plane-api-leader-election-binding",
          "prod-control-plane-api-leader-election-role",
          "prod-control-plane-api-v1alpha1.cluster.karmada.io",
        ].sort(),
      );
    },
  );

  test("kube-controller-manager, which needs the API server only, begins once what all wait for is there", () => {
    expect(waitsFor("kube-controller-manager")).toEqual([
      "karmada-aggregated-apiserver",
      "karmada-apiserver",
      "prod-control-plane-api-v1alpha1.cluster.karmada.io",
    ]);
  });

  test("replicas of one component wait for each other", () => {
    expect(waitsFor("karmada-scheduler")).not.toContain("karmada-scheduler-1");
    expect(waitsFor("karmada-scheduler-1")).toContain("karmada-scheduler");
    expect(waitsFor("karmada-scheduler-2")).toContain("karmada-scheduler-1");
  });

  test("the gate waits for what a policy passes through", () => {
    expect(waitsFor("prod-control-plane-gate")).toEqual(
      expect.arrayContaining([
        "karmada-aggregated-apiserver",
        "karmada-webhook",
        "prod-control-plane-api-crds",
        "prod-control-plane-api-mutating",
        "prod-control-plane-api-validating",
      ]),
    );
  });

  test("a member is joined when its API, tokens and nodes are there, and waits for no other member", () => {
    const waits = waitsFor("prod-member-m1-registration");
    expect(waits).toEqual(
      expect.arrayContaining([
        "karmada-controller-manager",
        "m1-kube-controller-manager",
        "prod-control-plane-gate",
        "prod-simulated-m1-nodes",
      ]),
    );
    expect(waits.filter((name) => name.includes("m2"))).toEqual([]);
  });

  test("a member in Pull mode is registered, then its agent starts, and it is joined when the agent has made it ready", () => {
    expect(waitsFor("m3-karmada-agent")).toEqual(
      expect.arrayContaining(["prod-member-m3-registration", "prod-member-m3-agent-access"]),
    );
    expect(waitsFor("prod-member-m3-pulled")).toEqual(
      expect.arrayContaining(["m3-karmada-agent", "prod-member-m3-registration", "karmada-controller-manager"]),
    );
    expect(named("prod-member-m3-pulled").inputs).toMatchObject({ cluster: "m3", registered: "uid-of-cluster" });
    expect(registered.map(({ name }) => name)).not.toContain("m1-karmada-agent");
  });

  test("an agent reaches its member as itself", async () => {
    expect(named("prod-member-m3-agent-access").inputs).toMatchObject({ cluster: "m3", purpose: "agent" });
    const files = given.get("m3-karmada-agent") ?? {};
    expect(await valueOf(pulumi.output(files["member.config"]))).toBe("agent in m3");
  });

  test("a member's estimator and its Service are there before the member, as the scheduler looks for them at once", async () => {
    expect(waitsFor("prod-member-m1-registration")).toEqual(
      expect.arrayContaining(["m1-karmada-scheduler-estimator", "prod-member-m1-estimator"]),
    );
    const { inputs, deletedWith } = named("prod-member-m1-estimator");
    const { metadata, spec } = inputs;
    expect(deletedWith).toBe("prod-etcd");
    expect([metadata.name, metadata.namespace]).toEqual(["karmada-scheduler-estimator-m1", "karmada-system"]);
    expect(spec).toEqual({
      type: "ExternalName",
      externalName: "m1-karmada-scheduler-estimator.test",
      ports: [{ name: "grpc", port: 10352, targetPort: 10352 }],
    });
    const files = given.get("m1-karmada-scheduler-estimator") ?? {};
    expect(await valueOf(pulumi.output(files["member.config"]))).toBe("estimator in m1");
  });

  test("a member whose tokens are rotated says so wherever there is one, and each who remembers them", () => {
    const holders = { runtime: { kind: "local", directory: "/state/test" } };
    const programs = ["karmada-controller-manager", "karmada-search", "karmada-metrics-adapter"];
    const [m1, m2, m3] = ["m1", "m2", "m3"].map((member) => named(`prod-member-${member}-registration`).inputs);
    expect(m1).toMatchObject({ tokenHolders: { value: { ...holders, programs } } });
    expect(m1).not.toHaveProperty("rotate");
    expect(m2).toMatchObject({ rotate: "1", tokenHolders: { value: { ...holders, programs } } });
    expect(m3).toMatchObject({
      rotateEvery: "720h",
      tokenHolders: { value: { ...holders, programs: programs.slice(1) } },
    });
    expect(named("prod-member-m3-agent-access").inputs).toMatchObject({ rotateEvery: "720h" });
    expect(named("prod-member-m2-estimator-access").inputs).toMatchObject({ rotate: "1" });
  });

  test("the list of members is declared with what becomes of policies of ours, and waits for no member", () => {
    const { inputs, dependsOn } = named("prod-declared-members");
    expect(inputs).toMatchObject({
      members: ["m1", "m2", "m3"],
      mayLeave: ["m0"],
      policies: [
        "PropagationPolicy default/web",
        "FederatedResourceQuota shop/quota",
        "ClusterPropagationPolicy web",
        "ResourceInterpreterCustomization jobs",
        "ResourceInterpreterWebhookConfiguration jobs",
        "PropagationPolicy default/sample",
      ],
    });
    expect(dependsOn.filter((name) => name.startsWith("prod-member-"))).toEqual([]);
  });

  test("a token is revoked only once the program that had it runs with another", () => {
    expect(waitsFor("prod-member-m3-agent-superseded")).toEqual(
      expect.arrayContaining(["m3-karmada-agent", "prod-member-m3-agent-access"]),
    );
    expect(named("prod-member-m3-agent-superseded").inputs).toMatchObject({ cluster: "m3", purpose: "agent" });
    expect(waitsFor("prod-member-m2-estimator-superseded")).toContain("m2-karmada-scheduler-estimator");
    expect(registered.map(({ name }) => name)).not.toContain("prod-member-m1-estimator-superseded");
  });

  test("simulated members start beside the control plane", () => {
    expect(waitsFor("m1-kube-apiserver")).toEqual(["simulated-etcd"]);
    expect(waitsFor("m1-kwok")).toEqual(["m1-kube-apiserver"]);
    expect(waitsFor("prod-simulated-m1-nodes")).toEqual(expect.arrayContaining(["m1-kube-apiserver", "m1-kwok"]));
  });

  test("the sample waits for members and their schedulers", () => {
    expect(waitsFor("prod-sample-policy")).toEqual(
      expect.arrayContaining([
        "prod-member-m1-registration",
        "prod-member-m2-registration",
        "prod-member-m3-pulled",
        "m1-kube-scheduler",
      ]),
    );
  });
});

describe("the resources of a Karmada", () => {
  test("components stand below one another as the manual says", () => {
    const components = registered.filter(({ type }) => type.startsWith("karmada:"));
    expect(components.map(({ type, name, parent }) => [type, name, parent])).toEqual(
      expect.arrayContaining([
        ["karmada:index:Karmada", "prod", ""],
        ["karmada:pki:Pki", "prod-pki", "prod"],
        ["karmada:etcd:ManagedEtcd", "prod-etcd", "prod"],
        ["karmada:controlplane:ControlPlane", "prod-control-plane", "prod"],
        ["karmada:api:KarmadaApi", "prod-control-plane-api", "prod-control-plane"],
        ["karmada:simulated:SimulatedCluster", "prod-simulated-m1", "prod"],
        ["karmada:member:Member", "prod-member-m1", "prod"],
        ["karmada:sample:Sample", "prod-sample", "prod"],
      ]),
    );
    expect(components.map(({ inputs }) => inputs)).toEqual(components.map(() => ({})));
  });

  test("a snapshot is taken before a change of what the data depend on", () => {
    const { inputs } = named("prod-snapshot-before-change");
    expect(inputs).toMatchObject({
      deployment: "test",
      reason: "before-change",
      required: true,
      onDelete: "keep",
      targets: [{ kind: "local", directory: "/backup" }],
      triggers: { karmada: "1.18.2", etcd: "3.6.6", members: "etcd-0,etcd-1,etcd-2", quota: "8Gi", replace: "{}" },
    });
  });

  test("etcd's members are declared with their addresses and what they are prepared as", () => {
    const { inputs } = named("prod-etcd-membership");
    expect(inputs).toMatchObject({
      token: "test",
      runtime: { kind: "local", directory: "/state/test" },
      version: "3.6.6",
      replace: {},
      defragment: { fragmentation: 0.45, size: 100 * 2 ** 20 },
      foreignMembers: "refuse",
    });
    expect(inputs.members[1]).toEqual({
      name: "etcd-1",
      peerUrl: "https://etcd-1.test:2380",
      clientUrl: "https://etcd-1.test:2379",
      revision: "revision of etcd-1",
    });
  });

  test("every resource has a parent, except the Karmada itself", () => {
    expect(registered.filter(({ parent }) => parent === "").map(({ name }) => name)).toEqual(["prod"]);
  });

  test("the provider is never replaced by what its kubeconfig becomes, and adopts what a killed run left", () => {
    expect(named("prod-control-plane-api-provider").inputs).toMatchObject({
      clusterIdentifier: "test",
      enableServerSideApply: "true",
      upsertExistingObjects: "true",
      enablePatchForce: "true",
      kubeClientSettings: '{"timeout":120}',
    });
  });

  test("objects in the API end with etcd's data instead of one by one", () => {
    const objects = registered.filter(({ type }) => type.startsWith("kubernetes:"));
    const kept = objects.filter(({ deletedWith }) => deletedWith !== "prod-etcd").map(({ name }) => name);
    expect(kept).toEqual([]);
  });

  test("Karmada's definitions convert through the webhook", () => {
    expect(named("prod-control-plane-api-crds").inputs).toMatchObject({
      version: "1.18.2",
      webhookUrl: "https://karmada-webhook.test:6443/convert",
      caBundle: "CA",
    });
  });

  test("a member is registered with what its description says", () => {
    expect(named("prod-member-m1-registration").inputs).toMatchObject({
      cluster: "m1",
      syncMode: "Push",
      zones: ["z1"],
      labels: { tier: "gold" },
      taints: [],
      timeoutSeconds: 120,
    });
  });

  test("a simulated member has the nodes it is described with", () => {
    expect(named("prod-simulated-m1-nodes").inputs).toMatchObject({ count: 3, cpu: "8", memory: "32Gi", pods: "110" });
  });

  test("each policy is an object in the Karmada API, once that takes policies, and waits for no member", () => {
    const policies = registered
      .filter(({ parent, type }) => parent === "prod-policies" && type.startsWith("kubernetes:"))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const annotations = { "pulumi.com/deletionPropagationPolicy": "background" };
    expect(policies.map(({ name, type, inputs }) => [name, type, inputs.metadata])).toEqual([
      [
        "prod-policies-ClusterPropagationPolicy/web",
        "kubernetes:policy.karmada.io/v1alpha1:ClusterPropagationPolicy",
        { name: "web", annotations },
      ],
      [
        "prod-policies-FederatedResourceQuota/shop/quota",
        "kubernetes:policy.karmada.io/v1alpha1:FederatedResourceQuota",
        { name: "quota", namespace: "shop", annotations },
      ],
      [
        "prod-policies-PropagationPolicy/default/web",
        "kubernetes:policy.karmada.io/v1alpha1:PropagationPolicy",
        { name: "web", namespace: "default", annotations },
      ],
      [
        "prod-policies-ResourceInterpreterCustomization/jobs",
        "kubernetes:config.karmada.io/v1alpha1:ResourceInterpreterCustomization",
        { name: "jobs", annotations },
      ],
      [
        "prod-policies-ResourceInterpreterWebhookConfiguration/jobs",
        "kubernetes:config.karmada.io/v1alpha1:ResourceInterpreterWebhookConfiguration",
        { name: "jobs", annotations },
      ],
    ]);
    expect(policies.slice(3).map(({ inputs }) => inputs.spec ?? inputs.webhooks)).toEqual([
      {
        target: { apiVersion: "batch/v1", kind: "Job" },
        customizations: { healthInterpretation: { luaScript: "function InterpretHealth(o) return true end" } },
      },
      [
        {
          name: "a.b.c",
          clientConfig: { url: "https://a" },
          rules: [],
          timeoutSeconds: 10,
          interpreterContextVersions: ["v1alpha1"],
        },
      ],
    ]);
    expect(policies[2]?.inputs.spec).toEqual({
      priority: 5,
      resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment", namespace: "default" }],
      placement: { clusterAffinity: { clusterNames: ["m1"] } },
    });
    for (const { dependsOn } of policies) {
      expect(dependsOn).toContain("prod-control-plane-gate");
      expect(dependsOn.filter((name) => name.startsWith("prod-member-"))).toEqual([]);
    }
  });

  test("what is scheduled anew waits for every policy and every member", () => {
    const { inputs, dependsOn, deletedWith } = named("prod-policies-WorkloadRebalancer/again");
    expect([inputs.name, inputs.workloads, inputs.trigger]).toEqual([
      "again",
      [{ apiVersion: "apps/v1", kind: "Deployment", name: "web" }],
      undefined,
    ]);
    expect(dependsOn).toEqual(
      expect.arrayContaining([
        "prod-policies-ClusterPropagationPolicy/web",
        "prod-policies-PropagationPolicy/default/web",
        "prod-member-m1-registration",
        "prod-member-m3-pulled",
      ]),
    );
    expect(deletedWith).toBe("prod-etcd");
  });

  test("the sample is divided evenly and not waited for", () => {
    expect(named("prod-sample-policy").inputs.spec.placement.replicaScheduling.weightPreference).toEqual({
      staticWeightList: [
        { targetCluster: { clusterNames: ["m1"] }, weight: 1 },
        { targetCluster: { clusterNames: ["m2"] }, weight: 1 },
        { targetCluster: { clusterNames: ["m3"] }, weight: 1 },
      ],
    });
    const { metadata, spec } = named("prod-sample-deployment").inputs;
    expect([metadata.annotations, spec.replicas]).toEqual([{ "pulumi.com/skipAwait": "true" }, 3]);
  });
});

describe("what is in the files of programs", () => {
  test("those that an operator gives, to each replica", () => {
    expect(given.get("karmada-scheduler-2")?.["given/profile.yaml"]).toBe("profile");
    expect(given.get("karmada-webhook")).not.toHaveProperty("given/profile.yaml");
  });

  test("the whole path of a webhook's kubeconfig, where an operator's file names it", () => {
    expect(given.get("karmada-webhook")?.["given/hooks.yaml"]).toBe("kubeConfigFile: /files/given/hook.kubeconfig");
  });

  test("the keys by which API servers encrypt, and what is there is written anew once all of them have these", async () => {
    expect(await valueOf(given.get("karmada-apiserver")!["encryption.yaml"] as pulumi.Output<string>)).toBe("KEYS");
    expect(named("prod-encryption-data")).toMatchObject({
      inputs: {
        revision: "r1",
        told: "t1",
        encrypted: ["secrets", "works.work.karmada.io"],
        resources: ["secrets", "works.work.karmada.io"],
        wanted: ["secrets", "works.work.karmada.io"],
      },
      dependsOn: ["karmada-apiserver", "prod-control-plane-gate", "prod-encryption-keys"],
    });
  });
});

describe("what a Karmada tells", () => {
  test("members, with the state they were seen in", async () => {
    expect(await outputs.members).toEqual(
      ["m1", "m2", "m3"].map((name) => ({
        name,
        syncMode: name === "m3" ? "Pull" : "Push",
        modeReason: "the stack file says so",
        kubernetesVersion: "v1.35.3",
        ready: true,
        apiEndpoint: "https://m1.test",
        uid: `uid-of-${name}`,
        ...found.seen,
        ...(name === "m3" && { agentVersion: "1.18.2", credentialExpires: "2027-01-01T00:00:00Z" }),
      })),
    );
  });

  test("the keys by which it encrypts, as another stack takes them", async () => {
    expect(await valueOf(karmada.encryptionKeys!)).toEqual([{ name: "key-1", secretText: "SECRET" }]);
  });

  test("the version of every process", async () => {
    expect(await outputs.versions).toMatchObject({
      "etcd-2": "3.6.6",
      "karmada-apiserver": "1.35.3",
      "karmada-scheduler-2": "1.18.2",
      "m2-kwok": "0.8.0",
      "m3-karmada-agent": "1.18.2",
      "m1-karmada-scheduler-estimator": "1.18.2",
    });
  });

  test("etcd's health, the ends of certificates, and where the API is", async () => {
    expect(await outputs.etcd).toEqual({
      clusterId: "c1",
      members: [{ name: "etcd-0", version: "3.6.6", healthy: true }],
    });
    expect((await outputs.certificates).apiserver).toBe("2027-01-01T00:00:00Z");
    expect(karmada.endpoints).toEqual(["https://karmada-apiserver.test:6443"]);
  });
});
