import { resolveEtcdProgram } from "../../spec/etcd-program.ts";
import type { SpecError } from "../../spec/problems.ts";
import { pathText } from "../../spec/problems.ts";
import { resolve as resolveDeployment } from "../../spec/resolve.ts";

const context = { stack: "etcd", directory: "/stack", stateHome: "/state" };
const resolve = (config: object) => resolveEtcdProgram({ program: "etcd", ...config }, context);

function problemsOf(config: object, more: object = {}): string[] {
  try {
    resolveEtcdProgram({ program: "etcd", ...config }, { ...context, ...more });
    return [];
  } catch (error) {
    return (error as SpecError).problems.map(({ path, message }) => `${pathText(path)}: ${message}`);
  }
}

const hostKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}`;
const hosts = (count: number, more: object = {}) => ({
  kind: "hosts",
  ssh: { privateKey: "k3y" },
  hosts: Array.from({ length: count }, (_, i) => ({ name: `host${i}`, address: `10.0.0.1${i}`, ssh: { hostKey } })),
  ...more,
});

test("an empty configuration is three members on this machine, with the defaults of a whole deployment", () => {
  expect(resolve({})).toEqual({
    program: "etcd",
    name: "etcd",
    versions: { etcd: "3.6.6" },
    placement: {
      kind: "local",
      directory: "/state/karmada-pulumi/karmada-etcd",
      basePort: 24000,
      address: "127.0.0.1",
      hooks: [],
    },
    pki: { authorityValidity: "87600h", certificateValidity: "8760h", renewBefore: "720h", authorityKeys: {} },
    etcd: expect.objectContaining({
      kind: "managed",
      members: ["etcd-0", "etcd-1", "etcd-2"],
      overrides: [],
      protect: false,
    }),
    snapshots: expect.objectContaining({ targets: [], beforeChange: "required" }),
  });
});

test("hosts have members of etcd and nothing else, wherever they are", () => {
  const { placement } = resolve({ placement: hosts(3, { components: { "etcd-backup": ["host2"] } }) });
  expect(placement).toMatchObject({
    kind: "hosts",
    loadBalancer: { kind: "none" },
    components: { "etcd-backup": ["host2"] },
    hosts: [{ etcd: "etcd-0" }, { etcd: "etcd-1" }, { etcd: "etcd-2" }],
  });
});

const keys = "program, name, versions, placement, pki, etcd, snapshots";

test.each(["members", "controlPlane", "addons", "policies", "teams", "sample", "monitoring"])(
  "%s is of a whole deployment, and refused",
  (key) => {
    expect(problemsOf({ [key]: {} })).toEqual([`${key}: unknown key, want one of ${keys}`]);
  },
);

test("what its sections have for a control plane is refused with where it stands", () => {
  const [first, ...others] = (hosts(3) as { hosts: object[] }).hosts;
  const placement = hosts(3, {
    hosts: [{ ...first, controlPlane: false }, ...others],
    loadBalancer: { kind: "none" },
    components: { "karmada-search": ["host1"] },
  });
  expect(
    problemsOf({
      placement,
      versions: { karmada: "1.18.2" },
      pki: { extraNames: ["karmada.example.org"], authorities: {}, authorityKeys: { karmada: ["a"] } },
      etcd: { kind: "managed", overrides: [] },
    }),
  ).toEqual([
    "versions.karmada: unknown key, want one of etcd",
    expect.stringMatching(/^placement\.hosts\[0\]\.controlPlane: unknown key, want one of name, address, ssh, etcd, /),
    "placement.components.karmada-search: unknown key, want one of etcd-backup",
    expect.stringMatching(/^placement\.loadBalancer: unknown key, want one of kind, ssh, hosts, components, /),
    "pki.authorityKeys.karmada: unknown key, want one of etcd, etcd-peer",
    "pki.extraNames: unknown key, want one of authorityValidity, certificateValidity, renewBefore, authorityKeys",
    'pki.authorities: unknown key, did you mean "authorityKeys"?',
    expect.stringMatching(/^etcd\.overrides: unknown key, want one of kind, members, quota, /),
  ]);
});

test("an etcd of somebody else is not this program's", () => {
  expect(problemsOf({ etcd: { kind: "external" } })).toEqual(['etcd.kind: got "external", want "managed"']);
});

test.each([
  ["on hosts", hosts(3)],
  ["on this machine", { kind: "local" }],
])("a hook %s has etcd's phase: there is no other", (_, placement) => {
  const hook = (name: string, phase: string) => ({ name, phase, when: "before", run: "true" });
  const hooks = [hook("a", "etcd"), hook("b", "control-plane")];
  expect(problemsOf({ placement: { ...placement, hooks } })).toEqual([
    'placement.hooks[1].phase: got "control-plane", want "etcd": a stack of the program etcd has no other phase',
  ]);
});

test("everything is checked as in a whole deployment, and all of it said at once", () => {
  expect(
    problemsOf({
      name: "Etcd",
      pki: { renewBefore: "9000h" },
      etcd: {
        kind: "managed",
        members: 3,
        replace: { "etcd-4": 1 },
        restore: { generation: 1, replaceClusterId: "none" },
      },
      placement: hosts(2),
      snapshots: { schedule: { cron: "0 * * * *" } },
    }),
  ).toEqual([
    expect.stringMatching(/^name: got "Etcd", want a DNS-1123 name/),
    expect.stringMatching(/^pki\.renewBefore: got "9000h", want less than pki\.certificateValidity/),
    "etcd.replace.etcd-4: no member has this name, want one of etcd-0, etcd-1, etcd-2",
    expect.stringMatching(/^etcd\.members: no host for etcd-2, want one for each/),
    "snapshots.schedule: there is a schedule, but no target to keep snapshots in",
    "etcd.restore.source.target: missing, and snapshots.targets names none either: say where the snapshot is",
  ]);
});

test("its name is kept: under another one its data would be made anew", () => {
  expect(problemsOf({ name: "other" }, { deployedAs: "etcd" })).toEqual([
    expect.stringMatching(/^name: got "other", want karmada:name: etcd, as the deployment of this stack is called/),
  ]);
});

test("a stack stays of its program: nothing of one would be kept in the other", () => {
  const other = { deployedAs: "etcd", programBefore: "karmada" };
  expect(problemsOf({}, other)).toEqual([
    'program: got "etcd", want karmada, of which this stack is (all that is there would be deleted, with the data of etcd; to do that, run `pulumi destroy` first)',
  ]);
  expect(() => resolveDeployment({}, { ...context, programBefore: "etcd" })).toThrow(
    'program: got "karmada", want etcd, of which this stack is',
  );
});

test("in a host cluster, settings for pods of other programs are refused, and images of other versions", () => {
  const pinned = { etcd: "registry.example.org/etcd:v3.5.35" };
  const kubeconfig = JSON.stringify({
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    clusters: [{ name: "a", cluster: { server: "https://a.example.org:6443" } }],
    users: [{ name: "a", user: { token: "t" } }],
  });
  const credentials = { kind: "kubeconfig", kubeconfig };
  const pods = { etcd: {}, "karmada-search": {} };
  const placement = { kind: "kubernetes", credentials, images: { pinned }, pods, exposure: { kind: "clusterIP" } };
  expect(problemsOf({ placement })).toEqual([
    'placement.images.pinned.etcd: got "registry.example.org/etcd:v3.5.35", want one of 3.6.6, as declared, or its digest without a tag',
    'placement.pods.karmada-search: a stack of the program etcd has no such pods, want "etcd" or "etcd-backup"',
  ]);
});
