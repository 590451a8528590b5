import type { Addon } from "../../../spec/addons/addons.ts";
import { differences } from "../../../spec/addons/rendering-difference.ts";
import type { Context } from "../../../spec/context.ts";
import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf } from "../configuration.ts";

const chart = (source: object, more: object = {}) => ({
  name: "web",
  source: { kind: "chart", ...source },
  target: { kind: "controlPlane" },
  ...more,
});
const document = (file: string, object: object) => `---\n# Source: web/templates/${file}\n${JSON.stringify(object)}\n`;
const object = (kind: string, name: string, annotations?: object) => ({
  apiVersion: kind === "Job" ? "batch/v1" : "v1",
  kind,
  metadata: { name, ...(annotations && { annotations }) },
});
const rendered = (text: string, again = text): Pick<Context, "charts"> => ({ charts: { web: { text, again } } });
const hook = document("setup.yaml", object("Job", "setup", { "helm.sh/hook": "pre-install,pre-upgrade" }));
const namelessHook = document("check.yaml", {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { generateName: "check-", annotations: { "helm.sh/hook": "post-install" } },
});

test("what a chart renders as are its objects, in the release's namespace, which it may bring along", () => {
  const text = document("a.yaml", object("ConfigMap", "a")) + document("b.yaml", object("Namespace", "other"));
  const addon = chart({ directory: "web", createNamespace: true }, { namespace: "shops" });
  const [{ objects, omitted }] = resolve({ addons: [addon] }, { ...context, ...rendered(text) }).addons as [Addon];
  expect(objects).toEqual([
    object("Namespace", "shops"),
    { ...object("ConfigMap", "a"), metadata: { name: "a", namespace: "shops" } },
    object("Namespace", "other"),
  ]);
  expect(omitted).toEqual([]);
});

test("hooks are refused by their names, or left out by their names, also without one", () => {
  const text = document("a.yaml", object("ConfigMap", "a")) + hook + namelessHook;
  expect(problemsOf({ addons: [chart({ directory: "web" })] }, rendered(text))).toEqual([
    'addons[0].source.hooks: web: the chart has hooks, which nothing here runs: Job setup (pre-install,pre-upgrade), Job check- (post-install); switch them off by its values, or leave them out by hooks "omit" and do yourself what they do',
  ]);
  const { addons } = resolve(
    { addons: [chart({ directory: "web", hooks: "omit" })] },
    { ...context, ...rendered(text) },
  );
  expect(addons[0]!.objects.map(({ metadata }) => metadata.name)).toEqual(["a"]);
  expect(addons[0]!.omitted).toEqual(["Job setup (pre-install,pre-upgrade)", "Job check- (post-install)"]);
});

test("an object without a kind or a name is named by its template", () => {
  const nameless = { apiVersion: "v1", kind: "ConfigMap", metadata: {} };
  const text = document("a.yaml", { metadata: { name: "a" } }) + document("b.yaml", nameless);
  expect(problemsOf({ addons: [chart({ directory: "web" })] }, rendered(text))).toEqual([
    'addons[0].source.directory: web: web/templates/a.yaml, document 1: missing kind, want one such as "ConfigMap"',
    "addons[0].source.directory: web: web/templates/b.yaml, document 1: missing metadata.name of a ConfigMap",
  ]);
});

test("nothing, the same twice, and what was not rendered", () => {
  const addons = [chart({ directory: "web" })];
  expect(problemsOf({ addons }, rendered("# empty\n"))).toEqual([
    "addons[0].source.directory: web: gives no Kubernetes object with these values",
  ]);
  const twice = document("a.yaml", object("ConfigMap", "a")) + document("b.yaml", object("ConfigMap", "a"));
  expect(problemsOf({ addons }, rendered(twice))).toEqual([
    "addons[0].source: web: web/templates/b.yaml, document 1: ConfigMap default/a is in web/templates/a.yaml, document 1 already, want each object once",
  ]);
  const crd = (chart: string) => document("a.yaml", object("ConfigMap", "a")).replace("web/templates", `${chart}/crds`);
  expect(problemsOf({ addons }, rendered(crd("web") + crd("web/charts/sub")))).toEqual([
    "addons[0].source: web: web/charts/sub/crds/a.yaml, document 1: ConfigMap default/a is in web/crds/a.yaml, document 1 already, want each object once; includeCRDs: false leaves out those in crds/ of a chart",
  ]);
  expect(problemsOf({ addons })).toEqual(["addons[0].source.directory: web: was not rendered"]);
  const error = { charts: { web: { field: "valuesFiles", error: "no such file" } } };
  expect(problemsOf({ addons }, error)).toEqual(["addons[0].source.valuesFiles: web: no such file"]);
});

test("what changes from one rendering to the next is named as far as it is said where", () => {
  const secret = (password: string, more: object = {}) =>
    document("s.yaml", { ...object("Secret", "s"), data: { password, "tls.crt": "x" }, ...more });
  expect(problemsOf({ addons: [chart({ directory: "web" })] }, rendered(secret("a"), secret("b")))).toEqual([
    "addons[0].source.values: web: the chart gives something else each time it is rendered: Secret s data.password; set the values that take the place of what its templates make up (randAlphaNum, genCA, now), or every up would change them",
  ]);
  expect(differences(secret("a"), secret("a"))).toEqual([]);
  expect(differences(secret("a"), secret("a", { type: "Opaque" }))).toEqual(["Secret s type"]);
  expect(differences(secret("a", { rules: [1, 2] }), secret("a", { rules: [1, 3] }))).toEqual(["Secret s rules[1]"]);
  expect(differences(document("a.yaml", object("Job", "a-1")), document("a.yaml", object("Job", "a-2")))).toEqual([
    "Job.batch a-1 (its name)",
  ]);
});

test("a chart comes from one place, with what that place needs and nothing else", () => {
  const repository = "https://charts.example.org";
  const sources = [
    {},
    { directory: "web", file: "web.tgz" },
    { repository },
    { oci: "oci://registry.example.org/charts/web", chart: "web" },
    { file: "web.tgz", version: "1.2.3", chart: "web" },
    { directory: "web", sha256: "0".repeat(64), createNamespace: true },
    { repository, chart: "web", version: "^1.2" },
    { oci: "oci://registry.example.org/charts/web:1.2.3", version: "1.2.3" },
    { directory: "web", release: "Web_1" },
    { directory: "web", value: {} },
  ];
  const addons = sources.map((source, i) => ({ ...chart(source), name: `n${i}` }));
  expect(problemsOf({ addons: addons.slice(0, 6) })).toEqual([
    "addons[0].source: n0: got none of them, want one of directory, file, repository and oci",
    "addons[1].source: n1: got directory and file, want one of directory, file, repository and oci",
    "addons[2].source.chart: n2: missing, want the name of a chart of the repository",
    "addons[2].source.version: n2: missing, want the version of the chart",
    'addons[3].source.chart: n3: got "web", want none with oci',
    "addons[3].source.version: n3: missing, want the version of the chart",
    'addons[4].source.chart: n4: got "web", want none with file',
    'addons[4].source.version: n4: got "1.2.3", want none with file',
    `addons[5].source.sha256: n5: got "${"0".repeat(64)}", want none with directory`,
    "addons[5].source.createNamespace: n5: got true, want the addon's namespace beside it",
  ]);
  expect(problemsOf({ addons: addons.slice(6) })).toEqual([
    'addons[0].source.version: got "^1.2", want one version such as "1.4.2", without a range',
    'addons[1].source.oci: got "oci://registry.example.org/charts/web:1.2.3", want a reference such as "oci://registry.example.org/charts/web"',
    'addons[2].source.release: got "Web_1", want a DNS-1123 name of at most 53 characters',
    'addons[3].source.value: unknown key, did you mean "values"?',
  ]);
});
