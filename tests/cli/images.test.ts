import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { readImages } from "../../cli/images/stack-images.ts";

const root = join(import.meta.dirname, "..", "..");
const example = join(root, "examples", "Pulumi.kubernetes.yaml");

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "karmada-images-"));
});
afterEach(() => rm(directory, { recursive: true }));
const file = () => join(directory, "Pulumi.test.yaml");
const reading = async (text: string) => {
  await writeFile(file(), text);
  return (await readImages(file())).map((each) => ({ program: undefined, ...each }));
};
const inPods = `config:
  karmada:placement:
    kind: kubernetes
    credentials: { kind: kubeconfig, kubeconfig: { secure: AAAB } }
    exposure: { kind: nodePort, addresses: [10.0.0.11] }
`;
const run = (...args: string[]) =>
  execa("node", [join(root, "cli", "images.ts"), ...args], { cwd: root, reject: false, timeout: 60_000 });

test("the images of a stack file are listed as they are pulled, from its registries and with its digests", async () => {
  const images = [
    "registry.example.org/coreos/etcd:v3.6.6",
    "registry.example.org/kubernetes/kube-apiserver:v1.35.3",
    "registry.example.org/kubernetes/kube-controller-manager:v1.35.3",
    "registry.example.org/karmada/karmada-aggregated-apiserver:v1.18.2",
    "registry.example.org/karmada/karmada-webhook@sha256:7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069",
    "registry.example.org/karmada/karmada-controller-manager:v1.18.2",
    "registry.example.org/karmada/karmada-scheduler:v1.18.2",
    "registry.example.org/library/node:24-bookworm-slim",
  ];
  const { stdout, stderr, exitCode } = await run("--file", example);
  expect([stdout.split("\n"), stderr, exitCode]).toEqual([images, "", 0]);
  const json = await run("--file", example, "--json");
  expect(JSON.parse(json.stdout)).toEqual(await readImages(example));
});

test("versions, and what is switched on, are those of the stack file", async () => {
  const images = await reading(`${inPods}  karmada:versions: { karmada: 1.17.1, etcd: 3.6.8 }
  karmada:controlPlane: { karmada-search: { enabled: true } }
`);
  expect(images).toContainEqual({ program: "etcd", version: "3.6.8", image: "quay.io/coreos/etcd:v3.6.8" });
  const search = { program: "karmada-search", version: "1.17.1", image: "docker.io/karmada/karmada-search:v1.17.1" };
  expect(images).toContainEqual(search);
  expect(images.map(({ program }) => program)).not.toContain("karmada-descheduler");
});

test("an etcd by itself has its image, that of what restores it, and no control plane's", async () => {
  const alone = `${inPods}  karmada:program: etcd\n  karmada:versions: { etcd: 3.6.8 }\n`;
  const images = await reading(alone);
  expect(images.map(({ image }) => image)).toEqual([
    "quay.io/coreos/etcd:v3.6.8",
    "docker.io/library/node:24-bookworm-slim",
  ]);
  await expect(reading("config: { karmada:program: etcd }\n")).rejects.toThrow(
    `${file()}: placement.kind "local" has no images, want "kubernetes"`,
  );
});

test("the etcd of another stack is no image of this one", async () => {
  const images = await reading(`${inPods}  karmada:etcd: { kind: external, stack: etcd }\n`);
  expect(images.map(({ program }) => program)).not.toContain("etcd");
});

test("agents and estimators are images where there are any", async () => {
  const names = async (more: string) =>
    (await reading(inPods + more)).flatMap(({ program }) => (program === "node" ? [] : program)).slice(7);
  expect(await names("")).toEqual([]);
  const controlPlane = "  karmada:controlPlane: { networks: [lan], karmada-scheduler-estimator: { enabled: true } }\n";
  expect(await names(controlPlane)).toEqual([]);
  const member = (fields: string) =>
    `  karmada:members: [{ name: oslo, credentials: { kind: kubeconfig, kubeconfig: { secure: AAAB } }, ${fields} }]\n`;
  expect(await names(member("syncMode: Push"))).toEqual([]);
  expect(await names(member("syncMode: Pull"))).toEqual(["karmada-agent"]);
  const both = ["karmada-scheduler-estimator", "karmada-agent"];
  expect(await names(controlPlane + member("syncMode: auto, networks: [wan]"))).toEqual(both);
  await mkdir(join(directory, "clusters"));
  await writeFile(join(directory, "clusters", "paris.kubeconfig"), "");
  const group = "  karmada:memberGroups: [{ name: far, directory: clusters, defaults: { syncMode: Pull } }]\n";
  expect(await names(controlPlane + group)).toEqual(both);
});

test("agents in members are images by the rules of each, whatever the placement of the control plane", async () => {
  const member = (name: string, agent: string) =>
    `{ name: ${name}, syncMode: Pull, credentials: { kind: kubeconfig, kubeconfig: { secure: AAAB } }, agent: ${agent} }`;
  const server = "server: https://karmada.example.org:5443";
  const oslo = `{ kind: inMember, ${server}, images: { karmada: oslo.example.org/karmada } }`;
  const members = [member("oslo", oslo), member("rome", oslo), member("paris", `{ kind: inMember, ${server} }`)];
  const agents = `  karmada:members: [${members.join(", ")}]\n`;
  const version = { program: "karmada-agent", version: "1.18.2" };
  expect(await reading(`config:\n${agents}`)).toEqual([
    { ...version, image: "oslo.example.org/karmada/karmada-agent:v1.18.2" },
    { ...version, image: "docker.io/karmada/karmada-agent:v1.18.2" },
  ]);
  const mirrored = `${inPods}    images: { karmada: mirror.example.org }\n${agents}`;
  expect((await reading(mirrored)).slice(-2).map(({ image }) => image)).toEqual([
    "oslo.example.org/karmada/karmada-agent:v1.18.2",
    "mirror.example.org/karmada-agent:v1.18.2",
  ]);
});

test("an external etcd is no image", async () => {
  const external = `${inPods}  karmada:etcd:
    kind: external
    endpoints: [https://10.0.0.1:2379]
    ca: { secure: AAAB }
    certificate: { secure: AAAB }
    key: { secure: AAAB }
`;
  const images = await reading(external);
  expect(images.map(({ program }) => program)).not.toContain("etcd");
  expect(images.map(({ program }) => program)).not.toContain("node");
  const keys = "{ kind: keys, accessKeyId: id, secretAccessKey: { secure: AAAB } }";
  const scheduled = await reading(`${external}  karmada:snapshots:
    targets: [{ kind: s3, bucket: backup, credentials: ${keys} }]
    schedule: { cron: "0 * * * *" }
`);
  expect(scheduled.slice(-2).map(({ program }) => program)).toEqual(["etcd", "node"]);
});

test("what addons bring along comes after that: pods of whatever kind, as they are pulled, and images that are named beside", async () => {
  const pods = (image: string) => ({ template: { spec: { containers: [{ name: "a", image }], initContainers: [] } } });
  const objects = [
    { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: pods("nginx") },
    {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "often" },
      spec: { jobTemplate: { spec: { template: { spec: { initContainers: [{ name: "i", image: "org/init:1" }] } } } } },
    },
    {
      apiVersion: "apps.kruise.io/v1alpha1",
      kind: "CloneSet",
      metadata: { name: "web" },
      spec: { ...pods("r.example.org:5000/web:2"), parts: [pods("localhost/part@sha256:ab")] },
    },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { image: "none", containers: "none" } },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [], volumes: [{ name: "v", image: { reference: "quay.io/models/m:1" } }, { name: "e" }] },
    },
  ];
  await writeFile(join(directory, "web.yaml"), objects.map((object) => JSON.stringify(object)).join("\n---\n"));
  await mkdir(join(directory, "chart", "templates"), { recursive: true });
  await writeFile(join(directory, "chart", "Chart.yaml"), "apiVersion: v2\nname: chart\nversion: 1.0.0\n");
  const pod =
    "apiVersion: v1\nkind: Pod\nmetadata: { name: {{ .Values.cookie.name }} }\nspec: { containers: [{ image: {{ .Values.image }} }] }\n";
  await writeFile(join(directory, "chart", "templates", "pod.yaml"), pod);
  const addons = `  karmada:addons:
    - name: web
      source: { kind: manifest, file: web.yaml }
      target: { kind: controlPlane }
      images: ["docker.io/org/init:1", "sidecar:3"]
    - name: chart
      source:
        kind: chart
        directory: chart
        values: { image: quay.io/org/chart:1, password: { secure: AAAB }, cookie: { secure: true, name: b } }
      target: { kind: controlPlane }
`;
  const images = await reading(inPods + addons);
  const of = (addon: string, ...names: string[]) => names.map((image) => ({ program: undefined, addon, image }));
  expect(images.slice((await reading(inPods)).length)).toEqual([
    ...of("web", "docker.io/library/nginx:latest", "docker.io/org/init:1", "r.example.org:5000/web:2"),
    ...of("web", "localhost/part@sha256:ab", "quay.io/models/m:1", "docker.io/library/sidecar:3"),
    ...of("chart", "quay.io/org/chart:1"),
  ]);
  expect(await reading(`config:\n${addons}`)).toEqual(images.slice(-7));
  await rm(join(directory, "web.yaml"));
  await expect(reading(inPods + addons)).rejects.toThrow(/addons\[0\]\.source\.file: web: .*there is no such file/);
});

test("a placement without images is refused by its name", async () => {
  await expect(reading("config: {}\n")).rejects.toThrow(
    `${file()}: placement.kind "local" has no images, want "kubernetes", an agent with kind "inMember", or addons with pods`,
  );
  await expect(reading("config: { karmada:program: snapshots }\n")).rejects.toThrow(
    `${file()}: a stack of the program "snapshots" has no images`,
  );
  await expect(reading("config: { karmada:program: members }\n")).rejects.toThrow(
    `${file()}: its agents have the image of karmada-agent that the stack of the deployment has`,
  );
});

test("all that is wrong with what images follow from is said at once", async () => {
  const text = `${inPods}    images: { pinned: { karmada-web: a:1 }, etcd: "?" }\n  karmada:versions: { karmada: 1.2.3 }\n`;
  const { message } = (await reading(text).catch((error: unknown) => error)) as Error;
  expect(message.split("\n").map((line) => line.replace(/, want .*/, ""))).toEqual([
    `${file()}: it is wrong`,
    '  versions.karmada: got "1.2.3"',
    '  placement.images.etcd: got "?"',
  ]);
  await expect(reading(`${inPods}    images: { pinned: { karmada-web: a:1 } }\n`)).rejects.toThrow(
    /placement\.images\.pinned\.karmada-web: no such program, want some of etcd/,
  );
});

test("a section that is encrypted as a whole is refused: nobody can tell what has images in it", async () => {
  await expect(reading(`${inPods}  karmada:members: { secure: v1:AAAB }\n`)).rejects.toThrow(
    `${file()}: it cannot be read
  members: encrypted as a whole, which hides what has images; encrypt only what is secret in it`,
  );
});

test("it says how it is used, and what is wrong", async () => {
  expect((await run("--help")).stdout).toMatch(/^usage: npm run images/);
  const missing = await run("--file", file());
  expect([missing.exitCode, missing.stderr]).toEqual([
    1,
    `npm run images: ${file()}: there is no such file, name one with --stack or --file`,
  ]);
  expect((await run("--yaml")).exitCode).toBe(2);
});
