import { jest } from "@jest/globals";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { parse, stringify } from "yaml";
import { fetchNamed, readDeployment, typedConfig } from "../../stacks/config.ts";
import { bytes, startWeb } from "../toolchain/support/web.ts";
import { createAuthority } from "../support/certificates.ts";
import { setConfig } from "./support.ts";

const directory = await mkdtemp(join(tmpdir(), "karmada-config-"));
afterAll(() => rm(directory, { recursive: true }));

const kubeconfig = stringify({
  "current-context": "paris",
  contexts: [{ name: "paris", context: { cluster: "paris", user: "admin" } }],
  clusters: [{ name: "paris", cluster: { server: "https://paris.example.org:6443" } }],
  users: [{ name: "admin", user: { token: "t0ken" } }],
});

/** What the stack gave out when it was last brought up. */
let lastOutputs: object = {};
/** What other stacks give out, by their whole names, and which of them were asked. */
let others: Readonly<Record<string, object>> = {};
const asked: unknown[] = [];

/** An error as the engine answers with. */
const refusal = (reason: string) =>
  Object.assign(new Error(), { details: `invocation of pulumi:pulumi:readStackOutputs returned an error: ${reason}` });

/** Runs as a stack with this configuration, each value as Pulumi hands it over. */
function configure(config: Record<string, unknown>): void {
  lastOutputs = {};
  asked.length = 0;
  void pulumi.runtime.setMocks(
    {
      newResource: ({ inputs }) => ({ id: "id", state: inputs }),
      call: ({ token, inputs }) => {
        if (token !== "pulumi:pulumi:readStackOutputs") return inputs;
        const { name } = inputs as { name: string };
        if (name === "organization/karmada/dev") return { name, outputs: lastOutputs };
        asked.push(name);
        if (others[name] === undefined) throw refusal(`unknown stack "${name}"`);
        return { name, outputs: others[name] };
      },
    },
    "karmada",
    "dev",
    false,
    "organization",
  );
  setConfig(config);
}

const stateOf = async (output: pulumi.Output<string>) => ({
  secret: await pulumi.isSecret(output),
  value: await new Promise((done) => output.apply(done)),
});

test("a stack that is renamed keeps the name of its deployment, by which everything there is called", async () => {
  configure({});
  expect(readDeployment(await fetchNamed()).name).toBe("dev");
  for (const [config, called] of [
    [{}, "dev"],
    [{ name: "paris" }, "paris"],
  ] as const) {
    configure(config);
    lastOutputs = { joining: { deployment: "oslo" } };
    const fetched = await fetchNamed();
    expect(() => readDeployment(fetched)).toThrow(
      `name: got "${called}", want karmada:name: oslo, as the deployment of this stack is called (under another name all of it would be made anew, without its data; to do that, run \`pulumi destroy\` first)`,
    );
    configure({ name: "oslo" });
    lastOutputs = { joining: { deployment: "oslo" } };
    expect(readDeployment(await fetchNamed()).name).toBe("oslo");
  }
});

test("what is not forbidden and yet goes ill is warned of: databases that do not fit on their volumes", () => {
  const warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue();
  const placement = {
    kind: "kubernetes",
    credentials: { kind: "kubeconfig", kubeconfig },
    exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
  };
  const ofVolumes = () => warn.mock.calls.flatMap(([text]) => (/ volume of /.test(text) ? [text] : []));
  configure({ placement });
  readDeployment();
  expect(ofVolumes()).toEqual([]);
  configure({ placement, etcd: { kind: "managed", quota: "16Gi" } });
  readDeployment();
  expect(ofVolumes()).toEqual([expect.stringMatching(/^etcd\.quota: a database of 16Gi .* a volume of 10Gi /)]);
  warn.mockRestore();
});

test("scripts that policies name are read, those of templates too", async () => {
  const script = "function InterpretHealth(o) return true end\n";
  await writeFile(join(directory, "health.lua"), script);
  const body = {
    kind: "ResourceInterpreterCustomization",
    name: "$(kind)",
    target: { apiVersion: "example.org/v1", kind: "$(kind)" },
    customizations: { healthInterpretation: { luaFile: `${directory}/$(script).lua` } },
  };
  const policies = [{ template: "health", parameters: { kind: "games", script: "health" } }];
  const parameters = [{ name: "kind" }, { name: "script" }];
  configure({ policies, policyTemplates: [{ name: "health", parameters, body }] });
  const [policy] = readDeployment().policies;
  expect(policy?.spec?.["customizations"]).toEqual({ healthInterpretation: { luaScript: script } });
  configure({
    policies: [{ ...policies[0], parameters: { kind: "games", script: "none" } }],
    policyTemplates: [{ name: "health", parameters, body }],
  });
  expect(() => readDeployment()).toThrow(
    `policies[0].template: "health" makes customizations.healthInterpretation.luaFile: got "${directory}/none.lua", but there is no such file`,
  );
});

test("what logs in to the host of a kubeconfig is secret, also on the way there; its path is none of this machine's", async () => {
  const hostKey = "SHA256:5Hd3rT1Jwqv2mJX3n3Nq4bqH0Gq2Yw7c1kT0o8bLZ9E";
  const through = [{ address: "10.0.0.1", hostKey, password: "pass" }];
  const credentials = { kind: "ssh", address: "10.0.0.2", hostKey, privateKey: "key", path: "/nowhere/here", through };
  configure({ members: [{ name: "paris", credentials }] });
  const found = readDeployment().members[0]!.credentials;
  if (found.kind !== "ssh") throw new Error(found.kind);
  const { login } = found;
  expect(await stateOf(login.privateKey!)).toEqual({ secret: true, value: "key" });
  expect(await stateOf(login.through[0]!.password!)).toEqual({ secret: true, value: "pass" });
  expect([login.address, found.paths]).toEqual(["10.0.0.2", ["/nowhere/here"]]);
});

test("kubeconfigs become secrets, whether typed or read from a file; the rest stays plain", async () => {
  const file = join(directory, "paris.kubeconfig");
  await writeFile(file, kubeconfig);
  configure({
    members: [
      { name: "paris", credentials: { kind: "kubeconfigFile", path: file } },
      { name: "oslo", credentials: { kind: "kubeconfig", kubeconfig, context: "paris" } },
      { name: "m1", credentials: { kind: "simulated" } },
    ],
  });
  const { members } = readDeployment();
  expect(members.map(({ name, credentials }) => [name, credentials.kind])).toEqual([
    ["paris", "kubeconfig"],
    ["oslo", "kubeconfig"],
    ["m1", "simulated"],
  ]);
  for (const { credentials } of members.slice(0, 2))
    if (credentials.kind === "kubeconfig")
      expect(await stateOf(credentials.kubeconfig)).toEqual({ secret: true, value: kubeconfig });
  expect(members[1]!.credentials).toMatchObject({ context: "paris" });
});

test("kubeconfigs that other stacks give out, as text or as objects, become secrets; each stack is asked once", async () => {
  const { "current-context": current, ...rest } = parse(kubeconfig) as object & { "current-context": string };
  others = {
    "organization/eks/paris": {
      kubeconfig: { "current-context": current, ...rest },
      again: { ...rest, "current-context": current },
      text: kubeconfig,
    },
  };
  const from = (output: string, stack = "eks/paris") => ({ kind: "stack", stack, output });
  configure({
    placement: {
      kind: "kubernetes",
      credentials: from("text"),
      exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
    },
    members: [
      { name: "paris", credentials: from("kubeconfig") },
      { name: "oslo", credentials: from("again", "organization/eks/paris") },
    ],
    memberGroups: [{ name: "asia", members: [{ name: "jakarta", credentials: from("text") }] }],
  });
  const { placement, members } = readDeployment(await fetchNamed());
  expect(asked).toEqual(["organization/eks/paris"]);
  const texts = await Promise.all(
    [placement, ...members].map(async (entry) => {
      const { credentials } = entry as { credentials: { kind: string; kubeconfig: pulumi.Output<string> } };
      expect(credentials).toMatchObject({ kind: "kubeconfig", server: "https://paris.example.org:6443" });
      const { secret, value } = await stateOf(credentials.kubeconfig);
      expect(secret).toBe(true);
      return value as string;
    }),
  );
  expect([texts[0], texts[3]]).toEqual([kubeconfig, kubeconfig]);
  expect(parse(texts[1]!)).toEqual(parse(kubeconfig));
  // The order of keys in the other stack is no change: the SDK hands them on sorted.
  expect(texts[2]).toBe(texts[1]);
});

test("a stack that cannot be read is named with the fields that name it, beside whatever else is wrong", async () => {
  const credentials = { kind: "stack", stack: "none", output: "kubeconfig" };
  configure({ members: [{ name: "paris", credentials }], sample: "yes" });
  const fetched = await fetchNamed();
  expect(() => readDeployment(fetched)).toThrow(
    [
      'members[0].credentials.stack: the stack organization/karmada/none cannot be read: unknown stack "organization/karmada/none"; npm run pulumi -- stack ls --all has those there are',
      '  sample: got "yes", want true or false',
    ].join("\n"),
  );
});

test("a directory of kubeconfigs is read, its kubeconfigs become secrets", async () => {
  const clusters = join(directory, "clusters");
  await mkdir(join(clusters, "old"), { recursive: true });
  for (const name of ["paris.yaml", "oslo", ".paris.yaml.swp"]) await writeFile(join(clusters, name), kubeconfig);
  configure({ memberGroups: [{ name: "europe", directory: clusters, defaults: { region: "eu" } }] });
  const { members } = readDeployment();
  expect(members.map(({ name, region }) => [name, region])).toEqual([
    ["oslo", "eu"],
    ["paris", "eu"],
  ]);
  for (const { credentials } of members)
    if (credentials.kind === "kubeconfig")
      expect(await stateOf(credentials.kubeconfig)).toEqual({ secret: true, value: kubeconfig });
});

test("the key of an external etcd becomes a secret", async () => {
  const { certificate, key } = await createAuthority("etcd");
  configure({
    etcd: { kind: "external", endpoints: ["https://etcd.example.org:2379"], ca: certificate, certificate, key },
  });
  const { etcd } = readDeployment();
  expect(etcd.kind).toBe("external");
  if (etcd.kind === "external") expect(await stateOf(etcd.key)).toEqual({ secret: true, value: key });
});

test("files of programs are read from where the stack file is, and are secret", async () => {
  await writeFile(join(directory, "oidc.crt"), "PEM");
  const files = { "oidc.crt": { path: join(directory, "oidc.crt") }, "keys.yaml": { secretText: "k3ys" } };
  configure({ controlPlane: { "kube-apiserver": { files } } });
  const given = readDeployment().controlPlane["kube-apiserver"].files;
  expect(await stateOf(given["oidc.crt"]!)).toEqual({ secret: true, value: "PEM" });
  expect(await stateOf(given["keys.yaml"]!)).toEqual({ secret: true, value: "k3ys" });
  const path = join(directory, "none");
  configure({ controlPlane: { "kube-apiserver": { files: { none: { path } } } } });
  expect(() => readDeployment()).toThrow(
    `controlPlane.kube-apiserver.files.none.path: got "${path}", but there is no such file: ${path}`,
  );
});

test("what logs in to hosts becomes secret, on the way there too; the rest stays plain", async () => {
  const hostKey = `SHA256:${"x".repeat(43)}`;
  const through = [{ address: "gate", hostKey, password: "pa55" }];
  const hosts = [{ name: "host1", address: "10.0.0.11", etcd: "etcd-0", ssh: { hostKey, through } }];
  configure({
    placement: { kind: "hosts", ssh: { privateKey: "k3y", passphrase: "phra5e" }, hosts },
    etcd: { kind: "managed", members: 1 },
  });
  const { placement } = readDeployment();
  if (placement.kind !== "hosts") throw new Error("it is on hosts");
  const [{ name, login }] = placement.hosts as [(typeof placement.hosts)[number]];
  if (login.kind === "local") throw new Error("it is reached by SSH");
  expect([name, login.address, login.hostKey]).toEqual(["host1", "10.0.0.11", hostKey]);
  expect(await stateOf(login.privateKey!)).toEqual({ secret: true, value: "k3y" });
  expect(await stateOf(login.passphrase!)).toEqual({ secret: true, value: "phra5e" });
  expect(await stateOf(login.through[0]!.password!)).toEqual({ secret: true, value: "pa55" });
});

test("what hooks are given becomes secret, wherever they run", async () => {
  const hooks = [{ name: "note", when: "before", phase: "etcd", run: "true", environment: { TOKEN: "t0p" } }];
  const hosts = [{ name: "host1", address: "10.0.0.11", ssh: { hostKey: `ssh-ed25519 ${"A".repeat(68)}` } }];
  const credentials = { kind: "kubeconfig", kubeconfig };
  for (const place of [
    { kind: "local" },
    { kind: "hosts", ssh: { privateKey: "k3y" }, hosts },
    { kind: "kubernetes", credentials, exposure: { kind: "nodePort", addresses: ["10.0.0.11"] } },
  ]) {
    configure({ placement: { ...place, hooks }, etcd: { kind: "managed", members: 1 } });
    const { placement } = readDeployment();
    expect(await stateOf(placement.hooks[0]!.environment["TOKEN"]!)).toEqual({ secret: true, value: "t0p" });
  }
});

describe("addons", () => {
  const manifest = (name: string) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  const target = { kind: "controlPlane" };
  const names = ({ addons }: ReturnType<typeof readDeployment>) =>
    addons.map(({ objects }) => objects.map(({ metadata }) => metadata.name));

  test("are read from files and directories", async () => {
    const rules = join(directory, "rules");
    await mkdir(rules);
    const one = join(directory, "one.yaml");
    for (const name of ["b.yaml", "a.json", ".a.json.swp"]) await writeFile(join(rules, name), manifest(name));
    configure({
      addons: [
        { name: "all", source: { kind: "manifest", directory: rules }, target },
        { name: "none", source: { kind: "manifest", file: one }, target },
      ],
    });
    expect(() => readDeployment()).toThrow(`got "${one}", but there is no such file: ${one}`);
    await writeFile(one, manifest("c"));
    expect(names(readDeployment())).toEqual([["a.json", "b.yaml"], ["c"]]);
  });

  test("are fetched once, and again only where what was kept is not what it was", async () => {
    const web = await startWeb();
    const store = await mkdtemp(join(directory, "store-"));
    process.env["KARMADA_TOOLCHAIN_DIR"] = store;
    try {
      const [text, other] = [manifest("fetched"), manifest("other")];
      const sha256 = createHash("sha256").update(text).digest("hex");
      const source = { kind: "manifest", url: `${web.base}/install.yaml`, sha256 };
      configure({ addons: [{ name: "web", source, target }] });
      web.answers.set("/install.yaml", bytes(other));
      const fetched = await fetchNamed();
      expect(() => readDeployment(fetched)).toThrow(
        /addons\[0\].source.url: web: .* with the SHA-256 digest [0-9a-f]{64}, want/,
      );
      web.answers.delete("/install.yaml");
      const failed = await fetchNamed();
      expect(() => readDeployment(failed)).toThrow(/which cannot be fetched: .*\/install.yaml: HTTP 404/);
      web.answers.set("/install.yaml", bytes(text));
      expect(names(readDeployment(await fetchNamed()))).toEqual([["fetched"]]);
      const asked = web.requests.length;
      expect(names(readDeployment(await fetchNamed()))).toEqual([["fetched"]]);
      expect(web.requests).toHaveLength(asked);
      await writeFile(join(store, "manifests", sha256), "cut off");
      expect(names(readDeployment(await fetchNamed()))).toEqual([["fetched"]]);
      expect(web.requests).toHaveLength(asked + 1);
    } finally {
      delete process.env["KARMADA_TOOLCHAIN_DIR"];
      await web.close();
    }
  });
});

test("what is wrong ends the program with one message and no stack", () => {
  configure({ sample: "yes", members: [{ name: "paris", credentials: { kind: "kubeconfigFile", path: "/none" } }] });
  let thrown: unknown;
  try {
    readDeployment();
  } catch (error) {
    thrown = error;
  }
  expect(pulumi.RunError.isInstance(thrown)).toBe(true);
  expect((thrown as Error).message).toBe(
    [
      "stack dev: 2 problems in its configuration, nothing was changed",
      '  members[0].credentials.path: got "/none", but there is no such file: /none',
      '  sample: got "yes", want true or false',
    ].join("\n"),
  );
});

test("a key without a value has none, and is no text", () => {
  const all = { "karmada:name": "null", "karmada:program": "null", "karmada:members": "null" };
  expect(typedConfig(all, "karmada")).toEqual({ name: null, program: null, members: null });
  configure({ name: null, members: null });
  expect(() => readDeployment()).toThrow(
    [
      'name: missing, want a DNS-1123 name of at most 48 characters: lower-case letters, digits and "-", not first or last',
      "  members: missing, want a list",
    ].join("\n"),
  );
});

test("keys of other namespaces are none of ours, and a name of digits is a name", () => {
  const all = { "karmada:name": "123", "karmada:sample": "true", "kubernetes:context": "x", "karmadas:name": "y" };
  expect(typedConfig(all, "karmada")).toEqual({ name: "123", sample: true });
  expect(typedConfig({ "karmada:deployment": "2026" }, "karmada")).toEqual({ deployment: "2026" });
});
