import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Addon } from "../../spec/addons/addons.ts";
import { resolve } from "../../spec/resolve.ts";
import { withAddons } from "../../stacks/addon-sources.ts";
import { renderCharts } from "../../stacks/charts.ts";
import { createAuthority } from "../support/certificates.ts";
import { packageChart, publishInRegistry, publishInRepository, writeChart } from "../support/charts.ts";
import { programPath } from "../support/programs.ts";
import { sha256 } from "../toolchain/support/sandbox.ts";
import { startWeb, type Web } from "../toolchain/support/web.ts";

const directory = await mkdtemp(join(tmpdir(), "karmada-charts-"));
let web: Web;
let packaged: string;

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "shops.example.org" },
  spec: { group: "example.org", scope: "Namespaced", names: { kind: "Shop" } },
};
const configMap = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  namespace: {{ .Release.Namespace }}
  mode: {{ .Values.mode | quote }}
  size: {{ .Values.size | quote }}
  kubernetes: {{ .Capabilities.KubeVersion.Version }}
  federated: {{ .Capabilities.APIVersions.Has "policy.karmada.io/v1alpha1" | quote }}
  monitored: {{ .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" | quote }}
`;
const check = `apiVersion: v1
kind: Pod
metadata:
  name: check
  annotations: { helm.sh/hook: test }
`;

beforeAll(async () => {
  const authority = await createAuthority("charts");
  await writeFile(join(directory, "ca.pem"), authority.certificate);
  process.env["SSL_CERT_FILE"] = join(directory, "ca.pem");
  // A store of these tests' own, which has helm from the one of all.
  process.env["PATH"] = [dirname(await programPath("helm")), process.env["PATH"]].join(delimiter);
  process.env["KARMADA_TOOLCHAIN_SOURCES"] = "installed";
  process.env["KARMADA_TOOLCHAIN_DIR"] = join(directory, "store");
  web = await startWeb(await authority.issue({ commonName: "charts", hosts: ["127.0.0.1"] }));
  const files = {
    "values.yaml": "mode: usual\nsize: small\n",
    "templates/config.yaml": configMap,
    "templates/tests/check.yaml": check,
    "crds/shops.yaml": JSON.stringify(crd),
  };
  await writeChart(directory, "web", files);
  packaged = await packageChart(join(directory, "web"), directory);
}, 60_000);

afterAll(async () => {
  await web?.close();
  await rm(directory, { recursive: true });
});

const addon = (source: object, more: object = {}) => ({
  name: "web",
  source: { kind: "chart", ...source },
  target: { kind: "controlPlane" },
  ...more,
});

/** The addon as it is after all checks. */
async function read(typed: object, more: object = {}): Promise<Addon> {
  const config = { addons: [typed], ...more };
  const charts = await renderCharts(config, directory);
  return resolve(config, withAddons({ stack: "dev", directory }, config, { charts })).addons[0]!;
}

const dataOf = async (typed: object, more: object = {}) =>
  (await read(typed, more)).objects.find(({ kind }) => kind === "ConfigMap")!["data"];

/** What is said of it, without what comes before every problem. */
const complaint = async (source: object, more: object = {}) => {
  const error = await read(addon(source), more).then(
    () => new Error("nothing is wrong with it"),
    (error: Error) => error,
  );
  return error.message.replace(
    "stack dev: 1 problem in its configuration, nothing was changed\n  addons[0].source",
    "",
  );
};

test("a directory is rendered with values, the later ones over the earlier ones, and for its target", async () => {
  await writeFile(join(directory, "a,b.yaml"), "mode: first\nsize: middle\n");
  await writeFile(join(directory, "later.yaml"), "size: large\n");
  const valuesFiles = ["a,b.yaml", "later.yaml"];
  expect(await dataOf(addon({ directory: "web" }))).toEqual({
    namespace: "default",
    mode: "usual",
    size: "small",
    kubernetes: "v1.35.3",
    federated: "true",
    monitored: "false",
  });
  const source = { directory: "web", valuesFiles, values: { mode: "in'line" }, kubeVersion: "1.33.1", release: "shop" };
  const more = { namespace: "shops" };
  const elsewhere = addon(
    { ...source, apiVersions: ["monitoring.coreos.com/v1"] },
    { ...more, target: { kind: "members" } },
  );
  const members = [{ name: "paris", credentials: { kind: "simulated" } }];
  expect(await dataOf(elsewhere, { members })).toEqual({
    namespace: "shops",
    mode: "in'line",
    size: "large",
    kubernetes: "v1.33.1",
    federated: "false",
    monitored: "true",
  });
  const names = ({ objects }: Addon) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(names(await read(addon(source, more)))).toEqual([
    "CustomResourceDefinition shops.example.org",
    "ConfigMap shop",
  ]);
  expect(names(await read(addon({ ...source, includeCRDs: false }, more)))).toEqual(["ConfigMap shop"]);
  const older = { versions: { kubernetes: "1.34.3" } };
  expect(await dataOf(addon({ directory: "web" }), older)).toMatchObject({ kubernetes: "v1.34.3" });
}, 60_000);

test("all kinds in crds/ are read, however their files part them", async () => {
  const kindOf = (name: string) => JSON.stringify({ ...crd, metadata: { name: `${name}.example.org` } });
  await writeChart(directory, "kinds", {
    "templates/config.yaml": `---\n${configMap}`,
    "crds/begun.yaml": `---\n# as controller-gen writes it\n${kindOf("begun")}\n`,
    "crds/two.yaml": `${kindOf("first")}\n---\n${kindOf("second")}\n--- # and\n${kindOf("third")}`,
    "crds/windows.yaml": `${kindOf("fourth")}\r\n---\r\n${kindOf("fifth")}\r\n`,
  });
  const { objects } = await read(addon({ directory: "kinds" }));
  const kinds = ["begun", "first", "second", "third", "fourth", "fifth"].map((name) => `${name}.example.org`);
  expect(objects.map(({ metadata }) => metadata.name)).toEqual([...kinds, "web"]);
  await writeChart(directory, "unkind", { "crds/two.yaml": `${kindOf("first")}\n---\nkind: Shop\n` });
  expect(await complaint({ directory: "unkind" })).toBe(
    '.directory: web: unkind/crds/two.yaml, document 2: missing apiVersion of a Shop, want one such as "v1"',
  );
}, 60_000);

test("a packaged chart is held against its digest", async () => {
  const digest = sha256(await readFile(packaged));
  expect(await dataOf(addon({ file: packaged, sha256: digest }))).toMatchObject({ mode: "usual" });
  const other = "0".repeat(64);
  expect(await complaint({ file: packaged, sha256: other })).toBe(
    `.file: web: got "${packaged}" with the SHA-256 digest ${digest}, want ${other}: look at what changed in it before you note the other digest`,
  );
  expect(await complaint({ file: "none.tgz" })).toBe(
    `.file: web: got "none.tgz", but there is no such file: ${directory}/none.tgz`,
  );
  await writeFile(join(directory, "torn.tgz"), (await readFile(packaged)).subarray(0, 100));
  expect(await complaint({ file: "torn.tgz" })).toMatch(/^\.file: web: helm cannot render it: .*(EOF|archive)/);
});

describe("a chart that is somewhere else", () => {
  const fetches = () =>
    web.requests.filter((request) => request.includes(".tgz") || request.includes("/blobs/")).length;
  let repository: string;
  let oci: string;
  beforeAll(async () => {
    repository = await publishInRepository(web, packaged);
    oci = await publishInRegistry(web, "web", "1.2.3", packaged);
  });

  test("comes out of a repository by its name and version", async () => {
    const source = { repository, chart: "web", version: "1.2.3" };
    expect(await dataOf(addon(source))).toMatchObject({ mode: "usual" });
    expect(await complaint({ ...source, version: "9.9.9" })).toMatch(
      /^\.repository: web: web 9\.9\.9 of https:\S+\/charts cannot be fetched: .*web.*9\.9\.9.*; its newest version is 1\.2\.3$/,
    );
    expect(await complaint({ ...source, chart: "wed" })).toMatch(
      /^\.repository: web: wed 1\.2\.3 of https:\S+\/charts cannot be fetched: .*wed.* not found/,
    );
    expect(await complaint({ ...source, repository: `${web.base}/nothing` })).toMatch(
      /^\.repository: web: web 1\.2\.3 of https:\S+\/nothing cannot be fetched: .*404/,
    );
  }, 60_000);

  test("comes out of a registry by its reference and version", async () => {
    expect(await dataOf(addon({ oci, version: "1.2.3" }))).toMatchObject({ mode: "usual" });
    expect(await complaint({ oci, version: "9.9.9" })).toMatch(
      /^\.oci: web: oci:\S+\/charts\/web 9\.9\.9 cannot be fetched: .*9\.9\.9/,
    );
  }, 60_000);

  test("is kept by its digest, which has to be that of what comes", async () => {
    const digest = sha256(await readFile(packaged));
    for (const source of [
      { repository, chart: "web", version: "1.2.3" },
      { oci, version: "1.2.3" },
    ]) {
      const kept = join(directory, "store", "charts", `${digest}.tgz`);
      await rm(kept, { force: true });
      const asked = fetches();
      expect(await dataOf(addon({ ...source, sha256: digest }))).toMatchObject({ mode: "usual" });
      expect(fetches()).toBeGreaterThan(asked);
      const all = web.requests.length;
      expect(await dataOf(addon({ ...source, sha256: digest }))).toMatchObject({ mode: "usual" });
      expect(web.requests).toHaveLength(all);
      await writeFile(kept, "torn");
      expect(await dataOf(addon({ ...source, sha256: digest }))).toMatchObject({ mode: "usual" });
      expect(await complaint({ ...source, sha256: "0".repeat(64) })).toMatch(
        / with the SHA-256 digest [0-9a-f]{64}, want 0{64}: look/,
      );
    }
  }, 60_000);
});

describe("what helm does not render", () => {
  const charts = (name: string, template: string, more = "") =>
    writeChart(directory, name, { "templates/a.yaml": template }, more);

  test("needs a newer Kubernetes than it is rendered for", async () => {
    await charts("newer", configMap, 'kubeVersion: ">=1.99.0-0"\n');
    expect(await complaint({ directory: "newer" })).toBe(
      ".kubeVersion: web: the chart needs Kubernetes >=1.99.0-0, and is rendered for 1.35.3: want another version of the chart, or here the version of its target where that is another one",
    );
    expect(await dataOf(addon({ directory: "newer", kubeVersion: "v1.99.4" }))).toMatchObject({
      kubernetes: "v1.99.4",
    });
  }, 60_000);

  test("wants a value, has a mistake in it, or is no YAML: helm's own words", async () => {
    await charts("wanting", '{{ required "set mode, please" .Values.mode }}');
    expect(await complaint({ directory: "wanting" })).toBe(
      ".directory: web: helm cannot render it: execution error at (wanting/templates/a.yaml:1:3): set mode, please",
    );
    await charts("mistaken", "a: {{ .Values.mode");
    expect(await complaint({ directory: "mistaken" })).toMatch(
      /helm cannot render it: .*mistaken\/templates\/a.yaml:1\): unclosed action$/,
    );
    await charts("torn", "a: [");
    expect(await complaint({ directory: "torn" })).toMatch(/helm cannot render it: .*torn\/templates\/a.yaml/);
    await charts("schema", "a: 1", "");
    const schema = { type: "object", required: ["size"], properties: { size: { type: "integer" } } };
    await writeFile(join(directory, "schema", "values.schema.json"), JSON.stringify(schema));
    expect(await complaint({ directory: "schema", values: { size: "large" } })).toMatch(
      /helm cannot render it: .*size/,
    );
    await charts(
      "parted",
      configMap,
      "dependencies: [{ name: part, version: 1.0.0, repository: https://example.org }]\n",
    );
    expect(await complaint({ directory: "parted" })).toMatch(/helm cannot render it: .*dependenc.*part/);
  }, 60_000);

  test("is another text each time: random, or what time it is", async () => {
    await charts(
      "random",
      "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: {{ randAlphaNum 9 | b64enc }}, b: eA==}\n",
    );
    expect(await complaint({ directory: "random" })).toMatch(
      /^\.values: web: the chart gives something else each time it is rendered: Secret s data\.a; set the values/,
    );
    await charts("timely", 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {now: "{{ now.Unix }}"}\n');
    expect(await complaint({ directory: "timely" })).toMatch(/each time it is rendered: Secret s stringData\.now;/);
  }, 60_000);

  test("is no chart, or has values that are none", async () => {
    expect(await complaint({ directory: "none" })).toBe(
      `.directory: web: got "none", but there is no such directory: ${directory}/none`,
    );
    expect(await complaint({ directory: "web/templates" })).toBe(
      '.directory: web: got "web/templates", which has no Chart.yaml, want the directory of a chart',
    );
    const values = (path: string) => complaint({ directory: "web", valuesFiles: [path] });
    expect(await values("none.yaml")).toBe(
      `.valuesFiles: web: got "none.yaml", but there is no such file: ${directory}/none.yaml`,
    );
    await writeFile(join(directory, "bad.yaml"), "password: [t0p, s3cret\n");
    expect(await values("bad.yaml")).toMatch(/^\.valuesFiles: web: got "bad.yaml", which does not parse: (?!.*s3cret)/);
    await writeFile(join(directory, "list.yaml"), "- a\n");
    expect(await values("list.yaml")).toBe(
      '.valuesFiles: web: got "list.yaml", which has no mapping in it, want values by name',
    );
    await writeFile(join(directory, "empty.yaml"), "# nothing\n");
    expect(await dataOf(addon({ directory: "web", valuesFiles: ["empty.yaml"] }))).toMatchObject({ mode: "usual" });
  }, 60_000);
});

test("helm is obtained for a chart only, and said to be missing by the chart that needs it", async () => {
  const { PATH, KARMADA_TOOLCHAIN_DIR } = process.env;
  Object.assign(process.env, { PATH: directory, KARMADA_TOOLCHAIN_DIR: join(directory, "empty") });
  try {
    const manifest = { name: "plain", source: { kind: "manifest", file: "a.yaml" }, target: { kind: "controlPlane" } };
    expect(await renderCharts({ addons: [manifest] }, directory)).toEqual({});
    expect(existsSync(join(directory, "empty"))).toBe(false);
    expect(await complaint({ directory: "web" })).toMatch(
      /^\.kind: web: got "chart", which needs helm: helm 4\.\d+\.\d+ for \S+: not obtained; installed: no helm on PATH; to do: /,
    );
  } finally {
    Object.assign(process.env, { PATH, KARMADA_TOOLCHAIN_DIR });
  }
});

test("what is wrong as it was typed, and no list, is left to the checks", async () => {
  expect(await renderCharts({ addons: [null, 3, addon({}), addon({ directory: 3 })] }, directory)).toEqual({});
  expect(await renderCharts({ addons: "web" }, directory)).toEqual({});
});

test("nothing of a rendering stays behind", async () => {
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith("karmada-chart-web-"));
  expect(left).toEqual([]);
});
