import { stringify } from "yaml";
import { resolveAdoptedProgram } from "../../spec/adopted-program.ts";
import { sampleKubeconfig } from "../support/sample-kubeconfig.ts";

const typed = {
  program: "adopted",
  adopted: { credentials: { kind: "kubeconfigFile", path: "host.kubeconfig" }, manifests: "adopted/prod" },
};
const metadata = { name: "karmada-cert", namespace: "karmada-system", uid: "4711" };
const secret = { apiVersion: "v1", kind: "Secret", metadata };

/** @param manifests by the names of their files */
const resolve = (manifests: Readonly<Record<string, object | string>>, config: object = typed) =>
  resolveAdoptedProgram(config, {
    stack: "prod",
    directory: "/stack",
    directories: { "adopted/prod": { files: Object.keys(manifests) } },
    files: {
      "host.kubeconfig": { text: sampleKubeconfig() },
      ...Object.fromEntries(
        Object.entries(manifests).map(([name, object]) => [
          `adopted/prod/${name}`,
          { text: typeof object === "string" ? object : stringify(object) },
        ]),
      ),
    },
  });

test("what has a UID is taken over, what has none is made; other files are left alone", () => {
  const { uid: _, ...own } = metadata;
  const budget = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { ...own, name: "etcd" } };
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "viewer" } };
  const { objects, namespace, credentials } = resolve({
    "a.yaml": secret,
    "b.yml": budget,
    "c.json": role,
    README: "hello",
  });
  expect(namespace).toBe("karmada-system");
  expect(credentials).toMatchObject({ kind: "kubeconfig", server: "https://oslo.example.org:6443" });
  expect(objects).toEqual([
    { object: { ...secret, metadata: own }, place: "adopted/prod/a.yaml, document 1", isTaken: true },
    { object: budget, place: "adopted/prod/b.yml, document 1", isTaken: false },
    { object: role, place: "adopted/prod/c.json, document 1", isTaken: false },
  ]);
});

test("everything that is wrong is said at once, with the file", () => {
  const elsewhere = { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "default" } };
  expect(() =>
    resolve({
      "a.yaml": secret,
      "b.yaml": { ...secret, data: { key: "c2VjcmV0" } },
      "c.yaml": elsewhere,
      "d.yaml": { ...elsewhere, metadata: { name: "nowhere" } },
      "e.yaml": "kind: [",
    }),
  ).toThrow(
    new RegExp(
      [
        "^stack prod: 5 problems in its configuration, nothing was changed",
        " {2}adopted.manifests: adopted/prod/e.yaml, document 1: does not parse: .*",
        " {2}adopted.manifests: adopted/prod/b.yaml, document 1: Secret karmada-cert: is there a second time",
        " {2}adopted.manifests: adopted/prod/b.yaml, document 1: Secret karmada-cert: has data, which would not be set: those of a Secret that is taken over stay as they are; change them with kubectl",
        ' {2}adopted.manifests: adopted/prod/c.yaml, document 1: Service web: got namespace "default", want "karmada-system", that of the Karmada',
        ' {2}adopted.manifests: adopted/prod/d.yaml, document 1: Service nowhere: got no namespace, want "karmada-system", that of the Karmada$',
      ].join("\n"),
    ),
  );
});

test("a stack without manifests, or with keys of another program, is refused", () => {
  expect(() => resolve({ README: "hello" })).toThrow('got "adopted/prod", in which there is no manifest');
  expect(() => resolve({ "a.yaml": secret }, { ...typed, members: [] })).toThrow(/members: unknown key/);
  expect(() => resolve({ "a.yaml": secret }, { program: "adopted" })).toThrow(/adopted: missing/);
});
