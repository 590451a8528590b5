/** Hooks of a Karmada on this machine, and of one in a host cluster. */
import { execFileSync } from "node:child_process";
import { isRpcSecret, unwrapRpcSecret } from "@pulumi/pulumi/runtime/index.js";
import { stringify } from "yaml";
import { deploymentOf } from "../support/deployment.ts";
import { ofEtcd, ofPki, type Registered, settled, withMocks } from "../support/mocks.ts";

const dynamic = "pulumi-nodejs:dynamic";
const registered = await withMocks({
  ...ofPki,
  ...ofEtcd,
  [`${dynamic}/local:Program`]: ({ name }) => ({ path: `/store/${String(name)}`, sha256: "d".repeat(64) }),
  [`${dynamic}/local:LocalPreparedProcess`]: () => ({ revision: "r" }),
});
const { Karmada } = await import("../../../components/karmada.ts");
const { localPlacement } = await import("../../../components/placement/local.ts");
const { kubernetesPlacement } = await import("../../../components/placement/kubernetes.ts");
const { sealDeployment } = await import("../../../stacks/sealed/programs.ts");

const kubeconfig = stringify({
  "current-context": "host",
  contexts: [{ name: "host", context: { cluster: "host", user: "admin" } }],
  clusters: [{ name: "host", cluster: { server: "https://10.0.0.1:6443" } }],
  users: [{ name: "admin", user: { token: "t0ken" } }],
});
const phases = ["etcd", "control-plane", "members"];
const token = {
  environment: { TOKEN: "it's s3cret" },
  run: 'echo "$TOKEN $KARMADA_DEPLOYMENT $KARMADA_VERSION ${KARMADA_NAMESPACE:-}"',
  undo: 'echo "undone with $TOKEN"',
};
const hooks = phases.flatMap((phase) =>
  ["before", "after"].map((when) => ({ name: `${when}-${phase}`, when, phase, run: "true" })),
);
hooks.push({ ...hooks[0]!, name: "token", ...token });
const member = { name: "member1", credentials: { kind: "kubeconfig", kubeconfig } };

beforeAll(async () => {
  const dev = sealDeployment(deploymentOf({ name: "dev", placement: { kind: "local", hooks }, members: [member] }));
  if (dev.placement.kind !== "local") throw new Error("it is elsewhere");
  new Karmada("dev", { deployment: dev, placement: localPlacement({ ...dev, placement: dev.placement }) });
  const inPods = {
    kind: "kubernetes",
    credentials: { kind: "kubeconfig", kubeconfig },
    exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
  };
  const prod = sealDeployment(deploymentOf({ name: "prod", placement: { ...inPods, hooks }, members: [member] }));
  if (prod.placement.kind !== "kubernetes") throw new Error("it is elsewhere");
  const placement = await kubernetesPlacement({ ...prod, placement: prod.placement });
  new Karmada("prod", { deployment: prod, placement });
  await settled();
}, 60_000);

/** A Deployment is registered after all else of its name, which it waits for. */
const named = (name: string): Registered => {
  const found = registered.findLast((resource) => resource.name === name);
  if (found === undefined) throw new Error(`nothing is called ${name}`);
  return found;
};

/** All that is done before a resource. */
function before(name: string, seen = new Set<string>()): Set<string> {
  for (const each of named(name).dependsOn) if (!seen.has(each)) before(each, seen.add(each));
  return seen;
}

test("they are commands on this machine, one for each and none besides, and belong to the deployment", () => {
  const commands = registered.filter(({ type }) => type.startsWith("command:"));
  const seen = commands.map(({ type, name, parent }) => [type, name, parent]);
  const wanted = ["dev", "prod"].flatMap((parent) =>
    hooks.map(({ name }) => ["command:local:Command", `${parent}-hook-${name}`, parent]),
  );
  expect(seen.sort()).toEqual(wanted.sort());
});

test.each([
  ["dev", "it's s3cret dev 1.18.2 \n"],
  ["prod", "it's s3cret prod 1.18.2 karmada-system\n"],
])("scripts and variables in %s are on standard input alone, as a secret", (name, said) => {
  const { stdin, ...inputs } = named(`${name}-hook-token`).inputs;
  expect(inputs).toEqual({ create: "sh -s run", delete: "sh -s undo", addPreviousOutputInEnv: false, logging: "none" });
  expect(isRpcSecret(stdin)).toBe(true);
  const script = (argument: string) =>
    execFileSync("sh", ["-s", argument], { input: unwrapRpcSecret(stdin), encoding: "utf8" });
  expect(script("run")).toBe(said);
  expect(script("undo")).toBe("undone with it's s3cret\n");
  expect(named(`${name}-hook-before-etcd`).inputs).toEqual({
    create: "sh -s run",
    stdin: expect.anything(),
    addPreviousOutputInEnv: false,
  });
});

test("hooks of one moment are run one after another", () => {
  expect(named("dev-hook-token").dependsOn).toEqual(["dev-directory", "dev-hook-before-etcd"]);
  expect(named("prod-hook-token").dependsOn).toEqual(["prod-hook-before-etcd", "prod-namespace"]);
});

test.each([
  ["dev", "dev-directory"],
  ["prod", "prod-namespace"],
])("in %s each phase comes after the hooks before it and before those after it", (name, ground) => {
  const hook = (moment: string) => `${name}-hook-${moment}`;
  const order = [
    ground,
    hook("before-etcd"),
    `${name}-etcd-membership`,
    hook("after-etcd"),
    hook("before-control-plane"),
    `${name}-karmada-apiserver`,
    hook("after-control-plane"),
    hook("before-members"),
    `${name}-member-member1-registration`,
    hook("after-members"),
  ];
  const found = order.map((each) => order.filter((other) => other !== each && before(each).has(other)));
  expect(found).toEqual(order.map((_, i) => order.slice(0, i)));
});
