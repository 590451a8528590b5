import * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";
import { oneContext } from "../../../lib/kube/one-context.ts";
import type { Process } from "../../../components/process.ts";
import type { InPods } from "../../../components/placement/kubernetes.ts";
import { deploymentOf } from "../support/deployment.ts";
import { settled, valueOf, withMocks } from "../support/mocks.ts";

const registered = await withMocks({});
const { kubernetesPlacement } = await import("../../../components/placement/kubernetes.ts");
const { data, file, loopback, text } = await import("../../../components/process.ts");

const kubeconfig = stringify({
  "current-context": "host",
  contexts: [{ name: "host", context: { cluster: "host", user: "admin" } }],
  clusters: [{ name: "host", cluster: { server: "https://10.0.0.1:6443" } }],
  users: [{ name: "admin", user: { token: "t0ken" } }],
});
const volume = { persistentVolume: "karmada-backup", storageClass: "ceph" };
const { placement: typed, ...rest } = deploymentOf({
  placement: {
    kind: "kubernetes",
    credentials: { kind: "kubeconfig", kubeconfig },
    namespace: "fleet",
    exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
    networkPolicies: { metricsFrom: ["monitoring"] },
    images: { node: "registry.example.org/node:24" },
  },
  snapshots: {
    targets: [
      { kind: "s3", bucket: "backup", credentials: { kind: "keys", accessKeyId: "backup", secretAccessKey: "s3cr3t" } },
      { kind: "cephfs", directory: "/mnt/backup", volume },
    ],
    schedule: { cron: "15 * * * *" },
  },
}) as unknown as { placement: { credentials: object } };
const credentials = { ...typed.credentials, kubeconfig: pulumi.secret(kubeconfig) };
const placement = await kubernetesPlacement({ ...rest, placement: { ...typed, credentials } } as unknown as InPods);

const backup: Process = {
  name: "etcd-backup",
  component: "etcd-backup",
  program: { main: "lib/backup/main.ts" },
  runs: [
    { name: "etcd", version: "3.6.6" },
    { name: "etcdutl", version: "3.6.6" },
  ],
  args: [[file("settings.json")], text`--listen=${loopback}`],
  limits: { memory: "1Gi", cpu: "1" },
  requests: { memory: "256Mi" },
  writes: [{ path: "/mnt/backup", own: ["test"], network: true, volume }],
  ports: ["http"],
  files: { "settings.json": { from: "given" } },
  certificates: [],
  probe: { kind: "http", scheme: "http", port: "http", path: "/healthz" },
  startDeadline: "60s",
  stopDeadline: "10s",
};
const files = { "settings.json": pulumi.secret("{}"), "encryption.key": pulumi.secret("key") };
const { version } = placement.place(backup, files, {}, pulumi.output("a restore"));
const pod = await valueOf(placement.podOf!(backup));
const tool = await valueOf(placement.executable({ name: "etcdutl", version: "3.6.6" }, backup));
await settled();

// Objects as their API has them: whatever field is asked for.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const found = (type: string, name: string): any =>
  registered.find((each) => each.type.endsWith(type) && each.name === name)?.inputs;
const deployment = () => found(":Deployment", "test-etcd-backup");

test("the preview asks for the right to look into the pod of a schedule", () => {
  expect(found(":OwnedNamespace", "test-namespace").schedules).toBe(true);
});

test("a program of ours runs in an image with Node.js, from a ConfigMap of its own, as nobody in particular", async () => {
  const { spec } = deployment().spec.template;
  const [own] = spec.containers;
  expect([own.image, own.command, own.args.slice(0, 2)]).toEqual([
    "registry.example.org/node:24",
    ["node"],
    ["--input-type=module", "-e"],
  ]);
  expect(own.args.slice(3)).toEqual([
    "--",
    "/program/program.mjs.gz",
    "etcd,etcdutl",
    "/tools",
    "/etc/karmada/settings.json",
    "--listen=0.0.0.0",
  ]);
  expect(spec.volumes).toContainEqual({ name: "program", configMap: { name: "etcd-backup-program" } });
  expect(found("kubernetes:PodProgram", "test-etcd-backup-program")).toMatchObject({
    namespace: "fleet",
    name: "etcd-backup-program",
    main: "lib/backup/main.ts",
    sha256: deployment().spec.template.metadata.annotations["karmada-pulumi/program"],
  });
  expect(own.volumeMounts).toContainEqual({ name: "state", mountPath: "/var/lib/etcd" });
  expect(placement.text(backup, [data("status.json")])).toBe("/var/lib/etcd/status.json");
  expect(await valueOf(version)).toMatch(/^\d+\.\d+\.\d+$/);
  expect(pod).toEqual({
    kubeconfig: oneContext(kubeconfig),
    namespace: "fleet",
    instance: "etcd-backup",
    container: "etcd-backup",
  });
});

test("what it runs itself is in etcd's image, whose container is idle", () => {
  const { spec } = deployment().spec.template;
  const [own, tools] = spec.containers;
  expect(spec.shareProcessNamespace).toBe(true);
  expect([tools.image, tools.command, tools.securityContext]).toEqual([
    "quay.io/coreos/etcd:v3.6.6",
    ["etcd"],
    own.securityContext,
  ]);
  expect(tool).toBe("/tools/etcdutl");
});

test("with limits and requests, no container of its pod is without: a quota may ask for them", () => {
  const [own, tools] = deployment().spec.template.spec.containers;
  expect(own.resources).toEqual({ limits: { memory: "1Gi", cpu: "1" }, requests: { memory: "256Mi" } });
  const idle = { cpu: "50m", memory: "64Mi" };
  expect(tools.resources).toEqual({ limits: idle, requests: idle });
});

test("a file that only whoever places it knows of is there as well", () => {
  expect(found(":Secret", "test-etcd-backup-files").data.value).toMatchObject({
    "encryption.key": Buffer.from("key").toString("base64"),
  });
  const [{ secret }] = deployment().spec.template.spec.volumes;
  expect(secret.items).toContainEqual({ key: "encryption.key", path: "encryption.key" });
});

test("who collects metrics comes to it, and nobody else", () => {
  expect(found(":NetworkPolicy", "test-etcd-backup").spec.ingress).toEqual([
    {
      from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
      ports: [{ protocol: "TCP", port: placement.port("etcd-backup", "http") }],
    },
  ]);
});

test("the backup program has the volume of a target in its container by a claim, which outlives it, and no other container has it", () => {
  const claim = "etcd-backup-karmada-backup";
  expect(found(":PersistentVolumeClaim", `test-${claim}`)).toMatchObject({
    metadata: { name: claim, namespace: "fleet", annotations: { "pulumi.com/skipAwait": "true" } },
    spec: {
      accessModes: ["ReadWriteMany"],
      volumeName: "karmada-backup",
      storageClassName: "ceph",
      resources: { requests: { storage: "1Mi" } },
    },
  });
  expect(registered.find(({ name }) => name === `test-${claim}`)?.retainOnDelete).toBe(true);
  const { spec } = deployment().spec.template;
  expect(spec.volumes).toContainEqual({ name: "written-0", persistentVolumeClaim: { claimName: claim } });
  expect(spec.securityContext).toMatchObject({ fsGroup: 65532, fsGroupChangePolicy: "OnRootMismatch" });
  const mount = { name: "written-0", mountPath: "/mnt/backup" };
  const [own, tools] = spec.containers;
  expect(own.volumeMounts).toContainEqual(mount);
  expect(tools.volumeMounts).toBeUndefined();
  expect(registered.find(({ type }) => type.endsWith(":Deployment"))?.dependsOn).toContain(`test-${claim}`);
});

test("the preview looks at the volume of a target", () => {
  expect(found(":OwnedNamespace", "test-namespace").writtenVolumes).toEqual({
    "karmada-backup": { claim: "etcd-backup-karmada-backup", storageClass: "ceph" },
  });
});

test("what others may have ended follows what ended it", () => {
  expect(deployment().metadata.annotations).toMatchObject({ "karmada-pulumi/follows": "a restore" });
});
