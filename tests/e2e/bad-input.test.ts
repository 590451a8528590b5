/** What an operator can get wrong: it is said in words, nothing is started for it and nothing that runs is harmed. */
import { createServer, type Server } from "node:net";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify, parse } from "yaml";
import { createAuthority } from "../support/certificates.ts";
import { canMount, mountTmpfs } from "../support/mount.ts";
import { kubectlFor, type Json, type Kubectl, readyOf } from "./support/kubectl.ts";
import { TestStack, type StackConfig } from "./support/stack.ts";

const basePort = 22000;
const simulated = (name: string) => ({ name, credentials: { kind: "simulated", nodes: 1 } });
const small = { etcd: { kind: "managed", members: 1 } };
const authority = await createAuthority("paris");

let stack: TestStack;
let files: string;

beforeAll(async () => {
  stack = await TestStack.create({}, basePort);
  files = await mkdtemp(join(tmpdir(), "kubeconfigs-"));
});

afterAll(async () => {
  await stack?.remove();
  await rm(files, { recursive: true, force: true });
}, 180_000);

/** The stack gets this config; where it lies and its ports stay what they are unless they are in it. */
function configure(config: StackConfig): void {
  stack.config = { placement: { kind: "local", directory: stack.directory, basePort }, ...config };
}

/** A preview that has to fail. */
async function refused(config: StackConfig): Promise<string> {
  configure(config);
  const run = await stack.preview();
  expect(run.exitCode).not.toBe(0);
  return run.text;
}

async function nothingStarted(): Promise<void> {
  expect(await stack.processes()).toEqual([]);
  await expect(stat(stack.directory)).rejects.toMatchObject({ code: "ENOENT" });
}

/** A member whose kubeconfig is a file with this text. */
async function member(name: string, kubeconfig: string) {
  const path = join(files, name);
  await writeFile(path, kubeconfig, { mode: 0o600 });
  return { name, credentials: { kind: "kubeconfigFile", path } };
}

const encoded = (text: string) => Buffer.from(text).toString("base64");

/** A kubeconfig that is in order, but for these fields of its cluster, its user and itself. */
const kubeconfig = (changes: { cluster?: object; user?: object; whole?: object }) =>
  stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "paris",
    contexts: [{ name: "paris", context: { cluster: "paris", user: "admin" } }],
    clusters: [{ name: "paris", cluster: { server: "https://127.0.0.1:1", ...changes.cluster } }],
    users: [{ name: "admin", user: { token: "t0ken", ...changes.user } }],
    ...changes.whole,
  });

/** The list of problems in what pulumi printed. */
const problems = (text: string) => text.match(/^ {2}[\w.[\]-]+: .*$/gm)?.map((line) => line.trim());

describe("a stack file that cannot be", () => {
  test("is refused with everything that is wrong with it at once", async () => {
    const text = await refused({
      membres: [],
      name: "a".repeat(49),
      versions: { karmada: "1.16.0", kubernetes: "1.20.0", etcd: 3.6 },
      etcd: { kind: "managed", members: 4 },
      controlPlane: { "karmada-scheduler": { replicas: "2" } },
      members: [simulated("Paris"), simulated("paris"), simulated("lyon_1")],
      sample: "yes",
    });
    const name = 'a DNS-1123 name of at most 48 characters: lower-case letters, digits and "-", not first or last';
    expect(text).toContain("stack test: 11 problems in its configuration, nothing was changed");
    expect(problems(text)).toEqual([
      'membres: unknown key, did you mean "members"?',
      `name: got "${"a".repeat(49)}", want ${name}`,
      'versions.karmada: got "1.16.0", want "1.18.2" or "1.17.1"',
      'versions.kubernetes: got "1.20.0", want "1.35.3", "1.35.8", "1.34.12" or "1.34.3"',
      'versions.etcd: got 3.6, want "3.6.6", "3.6.16", "3.6.8" or "3.5.35"',
      "etcd.members: got 4, want 1, 3, 5 or 7 (a quorum of 4 needs 3: no more losses are survived than with 3)",
      'controlPlane.karmada-scheduler.replicas: got "2", want a whole number from 1 to 5',
      `members[0].name: got "Paris", want ${name}`,
      `members[2].name: got "lyon_1", want ${name}`,
      'members[1].name: got "paris", want another name: members[0] has it (case does not count)',
      'sample: got "yes", want true or false',
    ]);
    await nothingStarted();
  }, 60_000);

  test("is refused for flags, feature gates and kubeconfigs that the chosen programs would refuse later", async () => {
    const expired = await authority.issue({ commonName: "admin", expired: true });
    const text = await refused({
      etcd: { kind: "managed", members: 0 },
      controlPlane: {
        "kube-apiserver": { extraArgs: { "no-such-flag": "x" }, featureGates: { NoSuchGate: true } },
        "karmada-scheduler": { extraArgs: { "kube-api-qsp": "50" } },
      },
      members: [
        await member("garbled", "users: [t0ken\n  - {"),
        await member("contextless", kubeconfig({ whole: { "current-context": "" } })),
        await member(
          "expired",
          kubeconfig({
            user: {
              "client-certificate-data": encoded(expired.certificate),
              "client-key-data": encoded(expired.key),
            },
          }),
        ),
        { name: "nowhere", credentials: { kind: "kubeconfigFile", path: "nowhere.yaml" } },
      ],
    });
    const today = new Date().toISOString().slice(0, 10);
    expect(problems(text)).toEqual([
      "etcd.members: got 0, want 1, 3, 5 or 7",
      "controlPlane.kube-apiserver.extraArgs.no-such-flag: kube-apiserver 1.35.3 has no flag of this name",
      "controlPlane.kube-apiserver.featureGates.NoSuchGate: kube-apiserver 1.35.3 has no feature gate of this name",
      'controlPlane.karmada-scheduler.extraArgs.kube-api-qsp: karmada-scheduler 1.18.2 has no flag of this name, did you mean "kube-api-qps"?',
      "members[0].credentials.path: this kubeconfig does not parse: MULTILINE_IMPLICIT_KEY in line 1 of it (not shown: a secret)",
      "members[1].credentials.path: this kubeconfig has no current context, want one in it or a context named beside it",
      `members[2].credentials.path: the client certificate in this kubeconfig expired on ${today}, want a new kubeconfig of this cluster`,
      expect.stringMatching(/^members\[3\]\.credentials\.path: got "nowhere\.yaml", but there is no such file: \//),
    ]);
    expect(text).not.toContain("t0ken");
    await nothingStarted();
  }, 60_000);

  test("is refused when an external etcd listens in the deployment's own range of ports", async () => {
    const { certificate, key } = await authority.issue({ commonName: "karmada" });
    const endpoints = [`https://127.0.0.1:${basePort + 5}`];
    const external = { kind: "external", endpoints, ca: authority.certificate, certificate, key, prefix: "/karmada" };
    const text = await refused({ etcd: external });
    expect(problems(text)).toEqual([
      `etcd.endpoints[0]: got port ${basePort + 5} of this machine, want one outside ${basePort} to ${basePort + 999}, or another placement.basePort: the ports overlap`,
    ]);
    expect(text).not.toContain(key.split("\n")[1]);
    await nothingStarted();
  }, 60_000);
});

describe("a machine that is not as the stack file wants it", () => {
  test("a port that a stranger listens on is named, with who it is", async () => {
    const stranger = await listen(basePort);
    try {
      const text = await refused(small);
      expect(text).toContain(`karmada-apiserver: port ${basePort} (secure) on 127.0.0.1 is in use by`);
      expect(text).toContain(`(pid ${process.pid})`);
      expect(text).toContain("choose another placement.basePort");
    } finally {
      await new Promise((resolve) => stranger.close(resolve));
    }
    await nothingStarted();
  }, 60_000);

  (canMount ? test : test.skip)(
    "a directory without room is refused by the preview, and holds nothing afterwards",
    async () => {
      const disk = join(files, "disk");
      const unmount = await mountTmpfs(disk, 100);
      try {
        const directory = join(disk, "state");
        const text = await refused({ ...small, placement: { kind: "local", directory, basePort } });
        expect(text).toContain(`${directory}: 100Mi free, want 512Mi`);
        expect(text).toContain("make room there, or choose another placement.directory");
        expect(await readdir(disk)).toEqual([]);
      } finally {
        await unmount();
      }
    },
    120_000,
  );

  test.each([
    ["below a file", () => join(files, "file", "state")],
    [
      "where no file system takes it, even from root",
      () => (process.platform === "linux" ? "/proc/state" : "/dev/state"),
    ],
  ])(
    "a directory %s is refused by the preview and by an up that skips it",
    async (_, path) => {
      await writeFile(join(files, "file"), "");
      const directory = path();
      const message = `${directory}: cannot be written to, `;
      const text = await refused({ ...small, placement: { kind: "local", directory, basePort } });
      expect(text).toContain(message);
      expect(text).toContain("choose another placement.directory");
      const up = await stack.pulumi(["up", "--yes", "--skip-preview"], { timeoutSeconds: 60 });
      expect(up.exitCode).not.toBe(0);
      expect(up.text).toContain(message);
      await nothingStarted();
    },
    120_000,
  );
});

test("a member that does not answer where networks have it is warned of, and the preview goes on", async () => {
  const paris = await member("paris", kubeconfig({}));
  configure({
    ...small,
    controlPlane: { networks: ["corp"] },
    members: [{ ...paris, syncMode: "auto", networks: ["corp"] }],
  });
  const { exitCode, text } = await stack.preview();
  expect([exitCode, text]).toEqual([
    0,
    expect.stringContaining(
      "paris: https://127.0.0.1:1 does not answer from this machine: connection refused, nothing listens there",
    ),
  ]);
  expect(text).toContain("declare syncMode Pull, or correct networks on either side");
  await nothingStarted();
}, 120_000);

describe("a running stack", () => {
  let before: { pid: number; command: string }[];

  beforeAll(async () => {
    configure({ ...small, members: [simulated("member1")] });
    await stack.up();
    before = await stack.processes();
  }, 180_000);

  test("is not sent to another directory, where nothing of it would be", async () => {
    const directory = `${stack.directory}-2`;
    const text = await refused({ ...small, placement: { kind: "local", directory, basePort } });
    expect(text).toMatch(/cannot move to/);
    expect(text).toMatch(/set .*placement.directory.* back, or, .*run `pulumi destroy` first/);
    expect(await stack.processes()).toEqual(before);
  }, 60_000);

  test("does not change its name under way", async () => {
    const text = await refused({ ...small, name: "other" });
    expect(text).toContain('name: got "other", want karmada:name: test, as the deployment of this stack is called');
    expect(await stack.processes()).toEqual(before);
  }, 60_000);

  test("takes the members that are in order, names what is wrong with each other one, and writes to none of those", async () => {
    const { kubeconfig: own } = await stack.outputs<{ kubeconfig: string }>();
    const member1 = await readFile(join(stack.directory, "member1-kwok", "kubeconfig"), "utf8");
    const server = parse(member1).clusters[0].cluster.server as string;
    configure({
      ...small,
      members: [
        { ...simulated("member1"), labels: { tier: "gold" } },
        await member("itself", own),
        await member("twin", member1),
        await member(
          "impostor",
          withCluster(member1, { "certificate-authority-data": encoded(authority.certificate) }),
        ),
        await member("unreachable", withCluster(member1, { server: "https://127.0.0.1:1" })),
        simulated("member2"),
      ],
    });
    const failure = await stack.up("--continue-on-error").catch((error: unknown) => error);
    expect(errorsOf(failure as Error)).toEqual([
      `impostor: ${server}: the server's certificate is not signed by the kubeconfig's authority; this may be another cluster than you mean: take a new kubeconfig from the member`,
      `itself: https://127.0.0.1:${basePort} is this control plane itself; give the kubeconfig of the member cluster`,
      `twin: ${server} is registered already, as member1; a cluster joins once`,
      expect.stringMatching(
        /^unreachable: .*https:\/\/127\.0\.0\.1:1: connection refused, nothing listens there; start the member, or correct the server in its kubeconfig$/,
      ),
    ]);

    const inPlane = await using(own, async (kubectl) => {
      const { items } = await kubectl.get("clusters");
      const seen = items.map((cluster: Json) => [
        cluster.metadata.name,
        cluster.metadata.labels?.tier,
        readyOf(cluster),
      ]);
      expect(seen).toEqual([
        ["member1", "gold", "True"],
        ["member2", undefined, "True"],
      ]);
      return namesOf(kubectl);
    });
    expect(inPlane).toContain("namespace/karmada-es-member1\n");
    const inMember = await using(member1, namesOf);
    expect(inMember).toContain("serviceaccount/karmada-member1\n");
    for (const names of [inPlane, inMember]) expect(names).not.toMatch(/itself|twin|impostor|unreachable/);
    expect(await stack.processes()).toEqual(expect.arrayContaining(before));
  }, 180_000);
});

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

function withCluster(text: string, changes: object): string {
  const config = parse(text);
  Object.assign(config.clusters[0].cluster, changes);
  return stringify(config);
}

/** What pulumi said of each member that did not join, by name. */
function errorsOf({ message }: Error): string[] {
  const found = message.match(/(?<=error: )(itself|twin|impostor|unreachable): .*$/gm) ?? [];
  return [...new Set(found)].sort();
}

async function using<T>(text: string, look: (kubectl: Kubectl) => Promise<T>): Promise<T> {
  const { kubectl, remove } = await kubectlFor(text);
  try {
    return await look(kubectl);
  } finally {
    await remove();
  }
}

/** Names of everything a join writes. */
const namesOf = (kubectl: Kubectl) =>
  kubectl(["get", "namespaces,serviceaccounts,secrets,clusterroles,clusterrolebindings", "-A", "-o", "name"]);
