import pulumi from "@pulumi/pulumi";

const seen: pulumi.runtime.MockResourceArgs[] = [];
await pulumi.runtime.setMocks({
  newResource: (args) => {
    seen.push(args);
    return { id: `${args.name}-id`, state: args.inputs };
  },
  call: ({ inputs }) => inputs as Record<string, unknown>,
});
const { ApiReady } = await import("../../providers/api-ready.ts");
const { ClusterRegistration } = await import("../../providers/cluster-registration.ts");
const { EtcdHealth } = await import("../../providers/etcd-health.ts");

const valueOf = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => void output.apply(resolve));

test("a dynamic resource has its type, its inputs and its outputs, and leaves what it was given alone", async () => {
  const args = {
    cluster: "m1",
    karmadaKubeconfig: "k",
    memberKubeconfig: pulumi.secret("m"),
    syncMode: "Push" as const,
    declaredBy: "karmada/test" as const,
    timeoutSeconds: 60,
  };
  const member = new ClusterRegistration("dev-member-m1", args);
  expect(await valueOf(member.id)).toBe("dev-member-m1-id");
  expect(await valueOf(member.cluster)).toBe("m1");
  expect(Object.keys(args)).not.toContain("__provider");
  for (const output of [member.uid, member.ready, member.kubernetesVersion, member.apiEndpoint]) {
    expect(pulumi.Output.isInstance(output)).toBe(true);
  }
  expect(seen.at(-1)).toMatchObject({
    type: "pulumi-nodejs:dynamic/members:ClusterRegistration",
    name: "dev-member-m1",
    inputs: { cluster: "m1", syncMode: "Push", timeoutSeconds: 60 },
  });
});

test("a kubeconfig is secret, whatever it comes in as", async () => {
  const ready = new ApiReady("ready", { kubeconfig: "plain", timeoutSeconds: 60 });
  expect(await valueOf(ready.kubeconfig)).toBe("plain");
  expect(await pulumi.isSecret(ready.kubeconfig)).toBe(true);
});

test("what is not secret comes out plain beside a secret input", async () => {
  const health = new EtcdHealth("health", {
    endpoints: ["https://10.0.0.7:2379"],
    ca: "ca",
    certificate: "c",
    key: pulumi.secret("k"),
    expectedMembers: 1,
    timeoutSeconds: 60,
  });
  expect(await valueOf(health.endpoints)).toEqual(["https://10.0.0.7:2379"]);
  expect(await pulumi.isSecret(health.endpoints)).toBe(false);
});
