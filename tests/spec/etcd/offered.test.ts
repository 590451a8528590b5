import type { Context } from "../../../spec/context.ts";
import { pathText, type SpecError } from "../../../spec/problems.ts";
import { resolve } from "../../../spec/resolve.ts";
import { createAuthority } from "../../support/certificates.ts";

const authority = await createAuthority("etcd");
const client = await authority.issue({ commonName: "karmada" });
const offered = {
  endpoints: ["https://10.0.0.11:2379", "https://10.0.0.12:2379"],
  ca: authority.certificate,
  certificate: client.certificate,
  key: client.key,
  clusterId: "c1",
};
const outside = ["https://203.0.113.5:32379"];
const inPods = { ...offered, endpoints: ["https://etcd-0.etcd.svc.cluster.local:2379"], outside };

const contextOf = (outputs: object | { error: string }): Context => ({
  stack: "test",
  directory: "/stack",
  stateHome: "/state",
  stacks: {
    etcd: "error" in outputs ? (outputs as { error: string }) : { outputs: outputs as Record<string, string> },
  },
});
const giving = (etcdClient: object) => contextOf({ etcdClient: JSON.stringify(etcdClient) });
const external = (more: object = {}) => ({ etcd: { kind: "external", stack: "etcd", ...more } });
const kubeconfig = JSON.stringify({
  "current-context": "a",
  contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
  clusters: [{ name: "a", cluster: { server: "https://a.example.org:6443" } }],
  users: [{ name: "a", user: { token: "t" } }],
});
const kubernetes = {
  kind: "kubernetes",
  credentials: { kind: "kubeconfig", kubeconfig },
  exposure: { kind: "clusterIP" },
};

function problemsOf(config: object, context: Context): string[] {
  try {
    resolve(config, context);
    return [];
  } catch (error) {
    return (error as SpecError).problems.map(({ path, message }) => `${pathText(path)}: ${message}`);
  }
}

test("the stack gives out all that etcd is reached by", () => {
  expect(resolve(external({ prefix: "/registry/a" }), giving(offered)).etcd).toEqual({
    kind: "external",
    prefix: "/registry/a",
    adopt: false,
    ...offered,
  });
});

test("pods go to the Services of etcd in their host cluster, this program to where they are exposed", () => {
  const { etcd } = resolve({ ...external(), placement: kubernetes }, giving(inPods));
  expect(etcd).toMatchObject({ endpoints: inPods.endpoints, outside });
});

test("a control plane elsewhere goes to where they are exposed", () => {
  const { etcd } = resolve(external(), giving(inPods));
  expect(etcd).toMatchObject({ endpoints: outside });
  expect(etcd).not.toHaveProperty("outside");
});

test("a stack and what it gives out exclude each other", () => {
  const typed = { endpoints: ["https://10.0.0.11:2379"], key: client.key };
  expect(problemsOf(external(typed), giving(offered))).toEqual([
    "etcd.stack: got a stack beside endpoints, key, want one or the other: the stack gives all of it out",
  ]);
  expect(problemsOf({ etcd: { kind: "external" } }, giving(offered))).toEqual([
    "etcd.endpoints: missing, want a list of addresses, or etcd.stack: the name of a stack of the program etcd",
    "etcd.ca: missing, want a certificate in PEM form",
    "etcd.certificate: missing, want a certificate in PEM form",
    "etcd.key: missing, want a private key in PEM form",
  ]);
});

test("a mistyped name of a stack is refused", () => {
  expect(problemsOf(external({ stack: "a b" }), giving(offered))).toEqual([
    'etcd.stack: got "a b", want the name of a stack such as "etcd" or "organization/karmada/etcd"',
  ]);
});

test("a stack that cannot be read, or gives out no etcd, is named with what to do", () => {
  expect(problemsOf(external(), contextOf({ error: "the stack organization/karmada/etcd cannot be read: x" }))).toEqual(
    ["etcd.stack: the stack organization/karmada/etcd cannot be read: x"],
  );
  expect(problemsOf(external(), contextOf({ endpoint: "https://a" }))).toEqual([
    'etcd.stack: got "etcd", which has no output etcdClient: want a stack of the program etcd, brought up before this one',
  ]);
  for (const text of ["{", JSON.stringify({ ...offered, clusterId: "" })])
    expect(problemsOf(external(), contextOf({ etcdClient: text }))).toEqual([
      'etcd.stack: got "etcd", whose output etcdClient is not complete: want a stack of the program etcd, brought up before this one',
    ]);
});

test("a certificate that has expired is renewed there", () => {
  const late = { ...giving(offered), now: new Date("2999-01-01") };
  expect(problemsOf(external(), late)).toEqual(
    ["ca", "certificate"].map((what) =>
      expect.stringMatching(
        new RegExp(
          `^etcd\\.stack: got "etcd", whose ${what} does not serve: this .* expired on .*; an up of that stack renews it$`,
        ),
      ),
    ),
  );
});

test("an etcd on loopback is used on its own machine only, by a control plane with other ports", () => {
  const local = giving({ ...offered, endpoints: ["https://127.0.0.1:25005"] });
  expect(resolve(external(), local).etcd).toMatchObject({ endpoints: ["https://127.0.0.1:25005"] });
  const near = { kind: "local", basePort: 24500 };
  expect(problemsOf({ ...external(), placement: near }, local)).toEqual([
    'etcd.stack: got "etcd", whose etcd has port 25005 of this machine, want another placement.basePort here or there: the ports overlap',
  ]);
  expect(problemsOf({ ...external(), placement: kubernetes }, local)).toEqual([
    'etcd.stack: got "etcd", whose etcd is reached on its own machine only (https://127.0.0.1:25005), want it elsewhere with placement.kind "kubernetes"',
  ]);
});
