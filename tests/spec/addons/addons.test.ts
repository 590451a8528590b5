import { sha256 } from "../../../lib/sha256.ts";
import type { Context } from "../../../spec/context.ts";
import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf, simulated } from "../configuration.ts";

const configMap = (name: string, more: object = {}) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more } });
const files = (texts: Record<string, string>): Pick<Context, "files"> => ({
  files: Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, { text }])),
});
const fromFile = (name: string, more: object = {}) => ({
  name,
  source: { kind: "manifest", file: `${name}.yaml` },
  target: { kind: "controlPlane" },
  ...more,
});
const hostCredentials = { kind: "kubeconfig", kubeconfig: "of the host cluster" };
const exposure = { kind: "nodePort", addresses: ["10.0.0.1"], apiServer: 31443, etcd: 31379 };
const members = [simulated("paris"), simulated("oslo")];
/** The objects of the first addon, by what was written. */
function objectsOf(addons: object[], texts: Record<string, string>, more: object = {}) {
  return resolve({ addons, ...more }, { ...context, ...files(texts) }).addons[0]!.objects;
}

describe("what an addon is made of", () => {
  test("every document of a file is an object, lists are taken apart, what a server says is left out", () => {
    const text = [
      "# rules",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, creationTimestamp: null}\ndata: {mode: 'yes', day: 2026-01-01}",
      "",
      `{"apiVersion": "v1", "kind": "List", "items": [${configMap("b")}, ${configMap("c", { namespace: "own" })}]}`,
      "apiVersion: v1\nkind: Namespace\nmetadata: {name: own}\nstatus: {phase: Active}",
    ].join("\n---\n");
    expect(objectsOf([fromFile("rules")], { "rules.yaml": text })).toEqual([
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a", namespace: "default" },
        data: { mode: "yes", day: "2026-01-01" },
      },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b", namespace: "default" } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "own" } },
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "own" } },
    ]);
  });

  test("its numbers and texts are told apart as kubectl does: without a digit in front it is a text", () => {
    const text = [
      "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}",
      "spec: {path: ., machine: e2, offset: -e3, fraction: .5, quota: 1e3, mode: 0o644, old: 0644, e1: zone}",
    ].join("\n");
    const [object] = objectsOf([fromFile("app")], { "app.yaml": text });
    expect(object!["spec"]).toEqual({
      path: ".",
      machine: "e2",
      offset: "-e3",
      fraction: 0.5,
      quota: 1000,
      mode: 420,
      old: 420,
      e1: "zone",
    });
  });

  test("all manifests of a directory, by name, and nothing else of it", () => {
    const directories = { rules: { files: ["a.yaml", "b.json", "README.md", "c.yml"] } };
    const texts = { "rules/a.yaml": configMap("a"), "rules/b.json": configMap("b"), "rules/c.yml": configMap("c") };
    const addon = { ...fromFile("rules"), source: { kind: "manifest", directory: "rules" } };
    const { addons } = resolve({ addons: [addon] }, { ...context, directories, ...files(texts) });
    expect(addons[0]!.objects.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"]);
  });

  test("what a URL gave, when it is what was meant", () => {
    const url = "https://example.org/install.yaml";
    const source = { kind: "manifest", url, sha256: sha256(configMap("a")) };
    expect(objectsOf([{ ...fromFile("rules"), source }], { [url]: configMap("a") })).toHaveLength(1);
    const other = configMap("b");
    expect(problemsOf({ addons: [{ ...fromFile("rules"), source }] }, files({ [url]: other }))).toEqual([
      `addons[0].source.url: rules: got "${url}" with the SHA-256 digest ${sha256(other)}, want ${source.sha256}: look at what changed in it before you note the other digest`,
    ]);
  });

  test("objects get the addon's namespace where they live in one: what lives in none is known, or its kind is in an addon", () => {
    const crd = (scope: string, kind: string) => ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${kind.toLowerCase()}s.example.org` },
      spec: { group: "example.org", scope, names: { kind } },
    });
    const object = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata: { name: "x" } });
    const all = [
      crd("Cluster", "Site"),
      crd("Namespaced", "Shop"),
      object("example.org/v1", "Site"),
      object("example.org/v1", "Shop"),
      object("rbac.authorization.k8s.io/v1", "ClusterRole"),
      object("rbac.authorization.k8s.io/v1", "Role"),
      object("policy.karmada.io/v1alpha1", "ClusterOverridePolicy"),
      object("policy.karmada.io/v1alpha1", "OverridePolicy"),
      object("elsewhere.org/v1", "Unknown"),
    ];
    const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: all });
    const namespaces = (more: object) =>
      objectsOf([fromFile("a", more)], { "a.yaml": text }).map(({ kind, metadata }) => [kind, metadata.namespace]);
    expect(namespaces({ namespace: "shops" })).toEqual([
      ["CustomResourceDefinition", undefined],
      ["CustomResourceDefinition", undefined],
      ["Site", undefined],
      ["Shop", "shops"],
      ["ClusterRole", undefined],
      ["Role", "shops"],
      ["ClusterOverridePolicy", undefined],
      ["OverridePolicy", "shops"],
      ["Unknown", "shops"],
    ]);
    expect(namespaces({}).slice(-2)).toEqual([
      ["OverridePolicy", "default"],
      ["Unknown", undefined],
    ]);
  });

  test("everything that is wrong is said at once, by addon, file and document", () => {
    const text = [
      configMap("a"),
      "kind: ConfigMap\nmetadata: {name: b}",
      "apiVersion: v1\nmetadata: {name: b}",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: b-}",
      "- a list",
      configMap("a", { namespace: "default" }),
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d, labels: {tier: 1}}",
      "password: [t0p, s3cret",
    ].join("\n---\n");
    expect(problemsOf({ addons: [fromFile("rules")] }, files({ "rules.yaml": text }))).toEqual([
      'addons[0].source.file: rules: rules.yaml, document 2: missing apiVersion of a ConfigMap, want one such as "v1"',
      'addons[0].source.file: rules: rules.yaml, document 3: missing kind, want one such as "ConfigMap"',
      "addons[0].source.file: rules: rules.yaml, document 4: missing metadata.name of a ConfigMap",
      "addons[0].source.file: rules: rules.yaml, document 5: got no mapping, want a Kubernetes object",
      'addons[0].source.file: rules: rules.yaml, document 7: metadata.labels of ConfigMap d: "tier" is no text, put it in quotes',
      expect.stringMatching(/^addons\[0\].source.file: rules: rules.yaml, document 8: does not parse: (?!.*s3cret)/),
      "addons[0].source: rules: rules.yaml, document 6: ConfigMap default/a is in rules.yaml, document 1 already, want each object once",
    ]);
  });

  test("a file that is not there, nothing in it, or nothing that says which", () => {
    const missing = 'got "a.yaml", but there is no such file: /project/a.yaml';
    const source = (more: object) => ({ ...fromFile("x"), source: { kind: "manifest", ...more } });
    const addons = [
      fromFile("a"),
      fromFile("b"),
      source({}),
      source({ file: "b.yaml", url: "https://example.org/x" }),
      source({ url: "https://example.org/x" }),
      source({ directory: "empty" }),
    ].map((addon, i) => ({ ...addon, name: `n${i}` }));
    const directories = { empty: { files: ["README.md"] } };
    const context = { directories, files: { "a.yaml": { error: missing }, "b.yaml": { text: "# nothing\n" } } };
    expect(problemsOf({ addons }, context)).toEqual([
      `addons[0].source.file: n0: ${missing}`,
      "addons[1].source.file: n1: has no Kubernetes object",
      "addons[2].source: n2: got none of them, want one of file, directory and url",
      "addons[3].source: n3: got file and url, want one of file, directory and url",
      "addons[4].source.sha256: n4: missing, want the digest of what the URL must hold: curl -fsSL URL | sha256sum prints it",
      'addons[5].source.directory: n5: got "empty", which has no file that ends in .yaml, .yml or .json',
    ]);
  });
});

describe("where it goes and when", () => {
  const texts = { "a.yaml": configMap("a"), "b.yaml": configMap("a"), "c.yaml": configMap("c") };
  const problems = (addons: object[], more: object = {}) => problemsOf({ addons, members, ...more }, files(texts));

  test("members are all of them unless some are named", () => {
    const targetOf = (target: object) =>
      resolve({ addons: [fromFile("a", { target })], members }, { ...context, ...files(texts) }).addons[0]!.target;
    expect(targetOf({ kind: "members" })).toEqual({ kind: "members", members: ["paris", "oslo"] });
    expect(targetOf({ kind: "members", members: ["oslo"] })).toEqual({ kind: "members", members: ["oslo"] });
    expect(targetOf({ kind: "propagated" })).toEqual({ kind: "propagated" });
  });

  test("one object has one addon in a cluster, and may be in several clusters", () => {
    const to = (target: object) => ({ target });
    const both = (first: object, second: object) => problems([fromFile("a", to(first)), fromFile("b", to(second))]);
    const taken =
      "addons[1].source: b: b.yaml, document 1: ConfigMap default/a is in the addon a already, want it in one of them";
    expect(both({ kind: "controlPlane" }, { kind: "propagated" })).toEqual([taken]);
    expect(both({ kind: "members" }, { kind: "members", members: ["oslo"] })).toEqual([taken]);
    expect(both({ kind: "members", members: ["paris"] }, { kind: "members", members: ["oslo"] })).toEqual([]);
    expect(both({ kind: "controlPlane" }, { kind: "members" })).toEqual([]);
  });

  test("so has a Secret of certificates", () => {
    const certified = (name: string) =>
      fromFile(name, { target: { kind: "members" }, certificates: [{ secret: "x" }] });
    expect(problems([certified("a"), certified("c")])).toEqual([
      "addons[1].source: c: certificates[0]: Secret default/x is in the addon a already, want it in one of them",
    ]);
  });

  test("what goes into the Karmada API is not in policies too", () => {
    const policy = { kind: "PropagationPolicy", name: "web", namespace: "default" };
    const resourceSelectors = [{ apiVersion: "v1", kind: "ConfigMap" }];
    const policies = [{ ...policy, resourceSelectors }];
    const text = `apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: { name: web }\nspec: {}\n`;
    const of = (kind: string) =>
      problemsOf({ addons: [fromFile("p", { target: { kind } })], members, policies }, files({ "p.yaml": text }));
    const taken =
      "addons[0].source: p: PropagationPolicy.policy.karmada.io default/web is in policies[0] already, want it in one of them; if both are there by now, it is deleted with the one that is taken out: run `up --refresh` after that";
    expect([of("controlPlane"), of("propagated"), of("members")]).toEqual([[taken], [taken], []]);
  });

  test("names that stand for nothing, or for two", () => {
    const addons = [
      fromFile("a", { after: ["c", "b"] }),
      fromFile("c", { target: { kind: "members", members: ["osla", "rome"] } }),
      fromFile("c", { target: { kind: "propagated", members: ["paris"], labels: { tier: "gold" } } }),
    ];
    expect(problems(addons)).toEqual([
      'addons[2].name: got "c", want another name: addons[1] has it',
      'addons[0].after[1]: got "b", there is no addon of that name, did you mean "a"?',
      'addons[1].target.members[0]: got "osla", there is no member of that name, did you mean "oslo"?',
      'addons[1].target.members[1]: got "rome", there is no member of that name, want one of paris, oslo',
      "addons[2].target.labels: got labels beside members, want one of the two",
    ]);
    expect(problems([fromFile("a", { target: { kind: "members" } })], { members: [] })).toEqual([
      'addons[0].target.kind: got "members", but the stack file has no members',
    ]);
  });

  test("a circle is named as it goes round", () => {
    const all = { "b.yaml": configMap("b"), "c.yaml": configMap("c"), "a.yaml": configMap("a") };
    const addons = [fromFile("a", { after: ["b"] }), fromFile("b", { after: ["c"] }), fromFile("c", { after: ["b"] })];
    expect(problemsOf({ addons }, files(all))).toEqual([
      "addons[1].after: b is after c is after b: none of them could be first",
    ]);
    expect(problemsOf({ addons: [fromFile("a", { after: ["a"] })] }, files(all))).toEqual([
      "addons[0].after: a is after a: none of them could be first",
    ]);
  });

  test("there is a host cluster only where the programs are pods", () => {
    expect(problems([fromFile("a", { target: { kind: "host" } })])).toEqual([
      'addons[0].target.kind: got "host", want another target with placement.kind "local": only "kubernetes" has a host cluster',
    ]);
  });

  test("the namespace of this Karmada is no addon of the host cluster", () => {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: "fleet" } };
    const text = { "a.yaml": JSON.stringify(object) };
    const addons = [fromFile("a", { target: { kind: "host" } })];
    const placement = (namespace: string) => ({
      kind: "kubernetes",
      namespace,
      credentials: hostCredentials,
      exposure,
    });
    const found = (namespace: string) => problemsOf({ addons, placement: placement(namespace) }, files(text));
    const own =
      "addons[0].source: a: a.yaml, document 1: Namespace fleet is that of this Karmada (placement.namespace), which would be deleted with the addon, want another one";
    expect(found("fleet")).toContain(own);
    expect(found("other")).not.toContain(own);
  });

  test("what Karmada would leave where it is cannot be propagated", () => {
    const text = [configMap("a", { namespace: "kube-system" }), configMap("b")].join("\n---\n");
    const addon = fromFile("a", { target: { kind: "propagated" } });
    expect(problemsOf({ addons: [addon] }, files({ "a.yaml": text }))).toEqual([
      'addons[0].source: a: a.yaml, document 1: ConfigMap kube-system/a is in a namespace that Karmada does not propagate, want another one or target.kind "members"',
    ]);
  });

  test("certificates have a Secret of their own, where the pods are that use it", () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "tunnel", namespace: "own" } };
    const all = { "a.yaml": JSON.stringify(secret), "b.yaml": configMap("b") };
    const target = { kind: "members" };
    const wrong = (a: object, b: object = {}) =>
      problemsOf({ members, addons: [fromFile("a", { target, ...a }), fromFile("b", b)] }, files(all));
    const two = [{ secret: "web", names: ["web.example.org", "10.0.0.1"] }, { secret: "tunnel" }];
    expect(wrong({ certificates: two })).toEqual([]);
    expect(wrong({ certificates: two, namespace: "own" }, { certificates: [{ secret: "x" }] })).toEqual([
      'addons[0].certificates[1].secret: a: got "tunnel", want another name: its source has a Secret tunnel, in a.yaml, document 1',
      'addons[1].certificates: b: got target.kind "controlPlane", want "host" or "members": private keys are put only where the pods are that use them',
    ]);
    expect(wrong({ certificates: [{ secret: "web" }, { secret: "web" }] })).toEqual([
      'addons[0].certificates[1].secret: a: got "web", want another name: certificates[0] has it',
    ]);
    expect(wrong({ certificates: [{ secret: "Web", names: ["web:443"] }] })).toEqual([
      'addons[0].certificates[0].secret: got "Web", want a DNS name such as "tunnel"',
      'addons[0].certificates[0].names[0]: got "web:443", want a host name or an IP address, without port',
    ]);
  });
});
