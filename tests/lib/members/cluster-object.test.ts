import {
  clusterObject,
  describedBy,
  type Description,
  type Registration,
} from "../../../lib/members/cluster-object.ts";

const registration = (description: Description, before: Description = {}): Registration => ({
  cluster: "member1",
  uid: "uid-1",
  endpoint: { apiEndpoint: "https://10.0.0.7:6443", caBundle: "ca", insecureSkipTLSVerification: false },
  credentials: { token: "t", impersonatorToken: "i", ca: "ca", since: "2026-11-20T10:00:00Z" },
  syncMode: "Push",
  declaredBy: "karmada/test",
  description,
  before,
});

test("a new Cluster says what karmadactl join says, and who declares it", () => {
  expect(clusterObject(undefined, registration({}))).toEqual({
    apiVersion: "cluster.karmada.io/v1alpha1",
    kind: "Cluster",
    metadata: { name: "member1", annotations: { "karmada-pulumi/declared-by": "karmada/test" } },
    spec: {
      id: "uid-1",
      syncMode: "Push",
      apiEndpoint: "https://10.0.0.7:6443",
      insecureSkipTLSVerification: false,
      secretRef: { namespace: "karmada-cluster", name: "member1" },
      impersonatorSecretRef: { namespace: "karmada-cluster", name: "member1-impersonator" },
    },
  });
});

const description: Description = {
  provider: "aws",
  region: "eu",
  zones: ["a", "b"],
  labels: { tier: "gold" },
  taints: [{ key: "team", value: "x", effect: "NoExecute" }],
};

test("what is declared arrives, and reads back as it was declared", () => {
  const object = clusterObject(undefined, registration(description));
  expect(object.metadata?.labels).toEqual({ tier: "gold" });
  expect(object.spec).toMatchObject({ provider: "aws", region: "eu", zones: ["a", "b"], taints: description.taints });
  expect(describedBy(object, description)).toEqual(description);
});

test("a proxy that is declared stands before the one of the kubeconfig, and is the only one that is compared", () => {
  const given = registration({});
  const ofKubeconfig = { ...given, endpoint: { ...given.endpoint, proxyURL: "http://10.0.0.1:3128" } };
  const object = clusterObject(undefined, ofKubeconfig);
  expect(object.spec.proxyURL).toBe("http://10.0.0.1:3128");
  expect(describedBy(object, {})).toEqual({});
  const proxy = "socks5://tunnel:1080";
  const declared = clusterObject(object, { ...ofKubeconfig, description: { proxy } });
  expect(declared.spec.proxyURL).toBe(proxy);
  expect(describedBy(declared, { proxy })).toEqual({ proxy });
  const undeclared = clusterObject(declared, registration({}, { proxy }));
  expect(undeclared.spec).not.toHaveProperty("proxyURL");
  expect(describedBy(undeclared, { proxy })).toEqual({});
});

test("what is no longer declared goes, and what others have put there stays", () => {
  const object = clusterObject(undefined, registration(description));
  object.metadata!.labels = { ...object.metadata?.labels, theirs: "1" };
  const theirs = { key: "cluster.karmada.io/not-ready", effect: "NoSchedule" };
  object.spec.taints.push(theirs);
  object.metadata!.finalizers = ["karmada.io/cluster-controller"];
  const next = clusterObject(object, registration({}, description));
  expect(next.metadata).toEqual({ ...object.metadata, labels: { theirs: "1" } });
  expect(next.spec.taints).toEqual([theirs]);
  expect(Object.keys(next.spec)).not.toEqual(expect.arrayContaining(["provider"]));
});

test("one that is let go of says nobody declares it, and what others have noted stays", () => {
  const object = clusterObject(undefined, registration({}));
  object.metadata!.annotations = { ...object.metadata?.annotations, theirs: "1" };
  const next = clusterObject(object, { ...registration({}), handOver: true });
  expect(next.metadata?.annotations).toEqual({ theirs: "1" });
});

test("a taint that stays keeps the time Karmada noted; one with another value is new", () => {
  const existing = clusterObject(undefined, registration(description));
  existing.spec.taints[0].timeAdded = "2026-01-01T00:00:00Z";
  expect(clusterObject(existing, registration(description, description)).spec.taints).toEqual(existing.spec.taints);
  const taints = [{ key: "team", value: "y", effect: "NoExecute" as const }];
  expect(clusterObject(existing, registration({ taints }, description)).spec.taints).toEqual(taints);
});

test("grades of nodes are written with an end, read back by amount, and are Karmada's own once they are not declared", () => {
  const cpu = (min: string, max?: string) => ({ name: "cpu", min, ...(max !== undefined && { max }) });
  const graded = {
    resourceModels: [
      { grade: 0, ranges: [cpu("0", "2000m")] },
      { grade: 1, ranges: [cpu("2000m")] },
    ],
  };
  const object = clusterObject(undefined, registration(graded));
  expect(object.spec.resourceModels).toEqual([
    { grade: 0, ranges: [cpu("0", "2000m")] },
    { grade: 1, ranges: [cpu("2000m", "9223372036854775807")] },
  ]);
  // As Karmada writes it.
  object.spec.resourceModels[0].ranges[0].max = "2";
  object.spec.resourceModels[1].ranges[0].min = "2";
  expect(describedBy(object, graded)).toEqual(graded);
  expect(clusterObject(object, registration(graded, graded))).toEqual(object);
  object.spec.resourceModels[1].ranges[0].min = "3";
  expect(describedBy(object, graded)).toEqual({ resourceModels: object.spec.resourceModels });
  const usual = clusterObject(object, registration({}, graded)).spec.resourceModels;
  expect([usual.length, usual[8].ranges]).toEqual([
    9,
    [cpu("128", "9223372036854775807"), { name: "memory", min: "1Ti", max: "9223372036854775807" }],
  ]);
  expect(clusterObject(undefined, registration({})).spec).not.toHaveProperty("resourceModels");
});

test("headers for a proxy are in the Cluster, go with the declaration, and read back", () => {
  const behind = { proxy: "http://tunnel:8088", proxyHeader: { "Proxy-Authorization": "Basic bWU6cDRzcw==" } };
  const object = clusterObject(undefined, registration(behind));
  expect(object.spec).toMatchObject({ proxyURL: behind.proxy, proxyHeader: behind.proxyHeader });
  expect(describedBy(object, behind)).toEqual(behind);
  object.spec.proxyHeader = { Host: "a" };
  expect(describedBy(object, behind)).toEqual({ ...behind, proxyHeader: { Host: "a" } });
  expect(clusterObject(object, registration({}, behind)).spec).not.toHaveProperty("proxyHeader");
});

test("what was changed by hand reads back as it is", () => {
  const object = clusterObject(undefined, registration(description));
  object.spec = { ...object.spec, region: "us", zones: ["c"], taints: [] };
  delete object.spec.provider;
  object.metadata!.labels = { tier: "lead", theirs: "1" };
  expect(describedBy(object, description)).toEqual({
    region: "us",
    zones: ["c"],
    labels: { tier: "lead" },
    taints: [],
  });
});
