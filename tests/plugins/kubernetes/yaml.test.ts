/**
 * `yaml.v2` through the real command line: a component that the plugin itself registers.
 * PLUGIN_UNDER_TEST=path runs the same tests on the official plugin.
 */
import { jest } from "@jest/globals";
import { execa } from "execa";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type KubeClient } from "../../../lib/kube/client.ts";
import { pulumiEnvironment } from "../../../toolchain/pulumi/index.ts";
import { startApiServer, type ApiServer } from "../../support/api-server.ts";
import { installedVersion, root } from "../support/plugin.ts";

jest.setTimeout(300_000);

let server: ApiServer;
let client: KubeClient;
let directory: string;
beforeAll(async () => {
  server = await startApiServer({ controllerManager: true });
  client = await connect(server.kubeconfig);
  directory = await mkdtemp(join(tmpdir(), "yaml-"));
  await mkdir(join(directory, "manifests"));
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  const project = { name: "yaml", runtime: { name: "nodejs", options: { typescript: false } }, main: "index.ts" };
  await write("Pulumi.yaml", JSON.stringify(project));
  await write("package.json", JSON.stringify({ type: "module", main: "index.ts" }));
  await pulumi("stack", "init", "test");
}, 180_000);
afterAll(async () => {
  await server?.stop();
  await rm(directory, { recursive: true, force: true });
});

const write = (name: string, text: string) => writeFile(join(directory, name), text);

async function pulumi(...args: string[]) {
  const home = process.env["PLUGIN_UNDER_TEST"] && (await homeWith(process.env["PLUGIN_UNDER_TEST"]));
  const { path, env } = await pulumiEnvironment({
    env: {
      ...process.env,
      PULUMI_BACKEND_URL: `file://${directory}`,
      PULUMI_CONFIG_PASSPHRASE: "only for this test",
      KUBECONFIG_TEXT: server.kubeconfig,
      ...(home && { PULUMI_HOME: home }),
    },
    cwd: directory,
  });
  return execa(path, [...args, "--non-interactive", "--color=never"], {
    cwd: directory,
    env,
    all: true,
    reject: false,
  });
}

async function homeWith(plugin: string): Promise<string> {
  const home = join(directory, "home");
  const place = join(home, "plugins", `resource-kubernetes-v${installedVersion("@pulumi/kubernetes")}`);
  await mkdir(place, { recursive: true });
  await symlink(plugin, join(place, "pulumi-resource-kubernetes")).catch(() => {});
  return home;
}

async function up(...args: string[]) {
  const { exitCode, all } = await pulumi("up", "--yes", "--skip-preview", ...args);
  if (exitCode !== 0) throw new Error(all);
}

interface Resource {
  readonly urn: string;
  readonly inputs?: Record<string, unknown>;
  readonly dependencies?: string[];
}
async function resources(): Promise<Map<string, Resource>> {
  const { stdout } = await pulumi("stack", "export");
  const { deployment } = JSON.parse(stdout) as { deployment: { resources: Resource[] } };
  return new Map(deployment.resources.map((each) => [each.urn.split("::").at(-1)!, each]));
}

const program = (args: string, options = "{ provider }") => `
  import * as k8s from "@pulumi/kubernetes";
  import * as pulumi from "@pulumi/pulumi";
  const provider = new k8s.Provider("cluster", { kubeconfig: process.env.KUBECONFIG_TEXT, namespace: "default" });
  const group = new k8s.yaml.v2.ConfigGroup("group", ${args}, ${options});
  export const names = group.resources.apply((all) => all.length);
`;

const manifests = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: shop}
spec: {mode: 0644, switched: yes, when: 2026-01-01}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: first, namespace: shop}, data: {a: "1"}}
  - apiVersion: v1
    kind: ConfigMap
    metadata:
      name: second
      annotations: {config.kubernetes.io/depends-on: /namespaces/shop/ConfigMap/first}
    data: {a: "1"}
---
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
`;

test("a group is made in the order its objects need, and again is no change", async () => {
  await write("manifests/one.yaml", manifests);
  await write(
    "manifests/two.yaml",
    "{apiVersion: v1, kind: Secret, metadata: {name: hidden}, stringData: {key: visible-never}}",
  );
  await write("index.ts", program(`{ files: ["manifests/*.yaml"] }`));
  await up();
  const made = await resources();
  const urn = (name: string) => made.get(`group:${name}`)!.urn;
  expect([...made.keys()].filter((name) => name.startsWith("group:")).sort()).toEqual([
    "group:default/hidden",
    "group:default/second",
    "group:shop",
    "group:shop/first",
    "group:shop/w",
    "group:widgets.example.com",
  ]);
  expect(made.get("group:shop/w")!.dependencies?.sort()).toEqual([urn("shop"), urn("widgets.example.com")].sort());
  expect(made.get("group:default/second")!.dependencies).toEqual([urn("shop/first")]);
  expect(urn("shop/w")).toContain("$kubernetes:example.com/v1:Widget::");
  expect(urn("shop/first")).toContain("kubernetes:yaml/v2:ConfigGroup$kubernetes:core/v1:ConfigMap::");
  expect(await client.get("/apis/example.com/v1/namespaces/shop/widgets/w")).toMatchObject({
    spec: { mode: 420, switched: true, when: "2026-01-01" },
  });
  const { stdout } = await pulumi("stack", "export");
  expect(stdout).not.toMatch(/visible-never|dmlzaWJsZS1uZXZlcg/);
  expect((await pulumi("stack", "output", "names")).stdout).toBe("6");
  await up("--expect-no-changes");
});

test("a changed and a dropped object are changed and dropped", async () => {
  await write("manifests/one.yaml", manifests.replace("mode: 0644", "mode: 1"));
  await rm(join(directory, "manifests", "two.yaml"));
  await up();
  expect(await client.get("/apis/example.com/v1/namespaces/shop/widgets/w")).toMatchObject({ spec: { mode: 1 } });
  await expect(client.get("/api/v1/namespaces/default/secrets/hidden")).rejects.toThrow("not found");
});

test("text and values are taken together, with a prefix, without waiting, and secrets stay secret", async () => {
  const objs = `[{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "value" }, data: { key: pulumi.secret("veiled") } }]`;
  const yaml = JSON.stringify("{apiVersion: core/v1, kind: ConfigMap, metadata: {name: text}, data: {}}");
  await write("index.ts", program(`{ yaml: ${yaml}, objs: ${objs}, resourcePrefix: "p", skipAwait: true }`));
  await up();
  const made = await resources();
  expect([...made.keys()].filter((name) => name.startsWith("p:")).sort()).toEqual([
    "p:default/text",
    "p:default/value",
  ]);
  expect(made.get("p:default/text")!.inputs).toMatchObject({
    apiVersion: "v1",
    metadata: { annotations: { "pulumi.com/skipAwait": "true" } },
  });
  expect(await client.get("/api/v1/namespaces/default/configmaps/value")).toMatchObject({ data: { key: "veiled" } });
  if (!process.env["PLUGIN_UNDER_TEST"]) {
    expect((await pulumi("stack", "export")).stdout).not.toContain("veiled"); // the official plugin stores it in clear
  }
});

test("one file is a component too; an object that is none is named", async () => {
  await write("file.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: filed}}");
  const single = program("").replace(
    /ConfigGroup\("group", .*\);/,
    'ConfigFile("group", { file: "file.yaml" }, { provider });',
  );
  await write("index.ts", single);
  await up();
  expect((await resources()).has("group:default/filed")).toBe(true);
  await write("file.yaml", "{kind: ConfigMap, metadata: {name: filed}}");
  const { exitCode, all } = await pulumi("preview");
  expect(exitCode).not.toBe(0);
  expect(all).toContain(
    'Kubernetes resources require a kind and apiVersion: `{"kind":"ConfigMap","metadata":{"name":"filed"}}`',
  );
});

test("objects that wait for each other are refused", async () => {
  const each = (name: string, other: string) =>
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default, annotations: ` +
    `{config.kubernetes.io/depends-on: /namespaces/default/ConfigMap/${other}}}}`;
  const yaml = JSON.stringify([each("a", "b"), each("b", "a")].join("\n---\n"));
  await write("index.ts", program(`{ yaml: ${yaml} }`));
  const { exitCode, all } = await pulumi("preview");
  expect(exitCode).not.toBe(0);
  expect(all).toContain("cyclic dependency");
});

test("what is not known yet makes a preview incomplete, and says so", async () => {
  const unknown = `new k8s.core.v1.Namespace("later", {}, { provider }).status.phase`;
  await write(
    "index.ts",
    program(`{ yaml: pulumi.interpolate\`{apiVersion: v1, kind: ConfigMap, metadata: {name: "\${${unknown}}"}}\` }`),
  );
  const { exitCode, all } = await pulumi("preview");
  expect(all).toContain(
    "kubernetes:yaml/v2:ConfigGroup:group -- Required input properties have unknown values. Preview is incomplete.",
  );
  expect(exitCode).toBe(0);
});

test("a group is destroyed against its order", async () => {
  const { exitCode, all } = await pulumi("destroy", "--yes", "--skip-preview");
  expect(exitCode === 0 ? "" : all).toBe("");
  expect((await client.get<{ items: object[] }>("/api/v1/namespaces/default/configmaps")).items).toHaveLength(1); // kube-root-ca.crt
});
