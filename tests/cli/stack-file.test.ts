import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { neededPrograms } from "../../cli/stack/programs.ts";
import {
  forgetEncryption,
  keepingText,
  programOf,
  readStackFile,
  withoutEncryption,
} from "../../cli/stack/stack-file.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "karmada-stack-file-"));
});
afterEach(() => rm(root, { recursive: true }));
const write = (text: string) => writeFile(join(root, "Pulumi.test.yaml"), text);

test("versions and sample come from the stack file, what it leaves out from the defaults", async () => {
  await write("config:\n  karmada:versions:\n    karmada: 1.17.1\n  karmada:sample: true\n");
  expect(await readStackFile(root, "test")).toEqual({
    versions: { karmada: "1.17.1", kubernetes: "1.35.3", etcd: "3.6.6", allowDowngrade: false },
    sample: true,
    placement: "local",
    programs: [],
    ownVersions: {},
  });
});

test("what a program or `pulumi config set` has written as JSON is read like YAML", async () => {
  const text = (value: object) => `'${JSON.stringify(value)}'`;
  await write(
    `config:
  karmada:placement: ${text({ kind: "hosts" })}
  karmada:versions: ${text({ karmada: "1.17.1" })}
  karmada:sample: "true"
  karmada:members: ${text([{ name: "paris", syncMode: "Pull", credentials: { kind: "kubeconfigFile", path: "paris" } }])}
`,
  );
  expect(await readStackFile(root, "test")).toMatchObject({
    versions: { karmada: "1.17.1" },
    sample: true,
    placement: "hosts",
    programs: ["karmada-agent"],
  });
});

test("a name of digits stays text", async () => {
  await write('config:\n  karmada:program: "123"\n');
  expect(await programOf(root, "test")).toBe("123");
});

test.each(["", "config:\n", "encryptionsalt: v1:x\n", "config:\n  karmada:versions: 3\n"])(
  "the defaults stand in for what %j does not say, or says wrong",
  async (text) => {
    await write(text);
    expect(await readStackFile(root, "test")).toEqual({
      versions: { karmada: "1.18.2", kubernetes: "1.35.3", etcd: "3.6.6", allowDowngrade: false },
      sample: false,
      placement: "local",
      programs: [],
      ownVersions: {},
    });
  },
);

test("a member in Pull mode takes an agent, and estimators are taken where they are switched on", async () => {
  await write("config:\n  karmada:members:\n    - name: a\n    - { name: b, syncMode: Pull }\n");
  expect((await readStackFile(root, "test")).programs).toEqual(["karmada-agent"]);
  await write("config:\n  karmada:members: [{ name: b, syncMode: Pull, agent: { kind: inMember } }]\n");
  expect((await readStackFile(root, "test")).programs).toEqual([]);
  await write("config:\n  karmada:controlPlane:\n    karmada-scheduler-estimator: { enabled: true }\n");
  expect((await readStackFile(root, "test")).programs).toEqual(["karmada-scheduler-estimator"]);
});

test("a member in Pull mode by the defaults of its group takes an agent, unless it says otherwise", async () => {
  const needs = async (group: string) => {
    await write(`config:\n  karmada:memberGroups:\n    - ${group}\n`);
    return (await readStackFile(root, "test")).programs;
  };
  const agent = ["karmada-agent"];
  expect(await needs("{ name: edge, defaults: { syncMode: Pull }, members: [{ name: a }] }")).toEqual(agent);
  expect(await needs("{ name: edge, defaults: { syncMode: Pull }, members: [{ name: a, syncMode: Push }] }")).toEqual(
    [],
  );
  expect(await needs("{ name: edge, members: [{ name: a, syncMode: auto }] }")).toEqual(agent);
  const inMember = "agent: { kind: inMember }";
  expect(await needs(`{ name: edge, defaults: { syncMode: Pull, ${inMember} }, members: [{ name: a }] }`)).toEqual([]);
  const found = "{ name: edge, defaults: { syncMode: Pull }, directory: edge }";
  expect(await needs(found)).toEqual([]);
  await mkdir(join(root, "edge"));
  await writeFile(join(root, "edge", "a.kubeconfig"), "");
  expect(await needs(found)).toEqual(agent);
  for (const wrong of ["null", "3", "{ defaults: 3, members: [4], directory: 5 }"])
    expect(await needs(wrong)).toEqual([]);
});

test("a program that has a version of its own is taken in that one", async () => {
  await write(
    "config:\n  karmada:controlPlane:\n    karmada-scheduler: { version: 1.17.1 }\n    karmada-webhook: { logLevel: 4 }\n",
  );
  const file = await readStackFile(root, "test");
  expect(file.ownVersions).toEqual({ "karmada-scheduler": "1.17.1" });
  const needed = neededPrograms(file);
  expect(needed).toContainEqual({ name: "karmada-scheduler", version: "1.17.1" });
  expect(needed).toContainEqual({ name: "karmada-webhook", version: "1.18.2" });
  expect(needed).not.toContainEqual({ name: "karmada-scheduler", version: "1.18.2" });
});

test("helm is taken where an addon is a chart", async () => {
  const addons = (kind: string) =>
    write(`config:\n  karmada:addons:\n    - { name: web, source: { kind: ${kind} } }\n`);
  await addons("manifest");
  expect((await readStackFile(root, "test")).programs).toEqual([]);
  await addons("chart");
  expect((await readStackFile(root, "test")).programs).toEqual(["helm"]);
});

test("what takes and restores snapshots is taken where either is declared", async () => {
  await write("config:\n  karmada:snapshots: { targets: [] }\n");
  expect((await readStackFile(root, "test")).programs).toEqual(["etcd", "etcdutl"]);
  await write("config:\n  karmada:etcd: { restore: { generation: 1 } }\n");
  expect((await readStackFile(root, "test")).programs).toEqual(["etcd", "etcdutl"]);
});

test.each(["hosts", "kubernetes"])("a deployment's placement is %s where the file says so", async (kind) => {
  await write(`config:\n  karmada:placement: { kind: ${kind} }\n`);
  expect((await readStackFile(root, "test")).placement).toBe(kind);
});

test.each([
  ["members", "members: [{ name: a, syncMode: Pull }]", ["kubectl", "karmadactl"]],
  ["adopted", "placement: { kind: hosts }", ["kubectl", "karmadactl"]],
  ["snapshots", "snapshots: { targets: [] }", ["etcd", "etcdutl"]],
  ["snapshots", "snapshots: { verify: restore }", ["etcd", "etcdutl"]],
  ["snapshots", "snapshots: { verify: sha }", []],
  ["restore", "snapshots: { targets: [] }", ["etcdutl"]],
  ["etcd", "placement: { kind: hosts }", ["etcd", "etcdutl"]],
  ["etcd", "placement: { kind: kubernetes }", []],
  ["etcd", "placement: { kind: kubernetes }\n  karmada:snapshots: { targets: [] }", ["etcd", "etcdutl"]],
])(
  "a stack of the program %s with %s has no control plane, and takes only what it runs",
  async (program, more, taken) => {
    await write(`config:\n  karmada:program: ${program}\n  karmada:${more}\n`);
    const file = await readStackFile(root, "test");
    expect(file.placement).toBe("none");
    expect(neededPrograms(file).map(({ name }) => name)).toEqual(["pulumi", ...taken]);
  },
);

test("an anchor may have more than a hundred aliases", async () => {
  const members = Array.from({ length: 150 }, (_, i) => `    - { name: m${i}, labels: *labels, syncMode: *mode }\n`);
  await write(`config:
  karmada:sample: true
  karmada:members:
    - { name: first, labels: &labels { team: a }, syncMode: &mode Pull }
${members.join("")}`);
  expect(await readStackFile(root, "test")).toMatchObject({ sample: true, programs: ["karmada-agent"] });
});

test("a merge key brings what it names, and what stands beside it comes first", async () => {
  const pulling = "    - &first { name: a, syncMode: Pull, agent: { kind: inMember } }\n";
  await write(`config:\n  karmada:members:\n${pulling}    - { <<: *first, name: b, agent: { kind: process } }\n`);
  expect((await readStackFile(root, "test")).programs).toEqual(["karmada-agent"]);
  await write(`config:\n  karmada:members:\n${pulling}    - { name: b, <<: *first }\n`);
  expect((await readStackFile(root, "test")).programs).toEqual([]);
});

test.each(["placement", "karmada:config:placement"])("the key %s is the project's placement", async (key) => {
  await write(`config:\n  ${key}: { kind: hosts }\n`);
  expect((await readStackFile(root, "test")).placement).toBe("hosts");
  expect(await programOf(root, "test")).toBe("karmada");
});

test.each([
  ["config:\n\tkarmada:name: s3cret\n", "tabs are not allowed as indentation at line 2, column 1"],
  ["config:\n  karmada:name: s3cret\n  karmada:name: s3cret\n", "map keys must be unique at line 3, column 3"],
  ["config:\n  karmada:name: *paris\n", "unresolved alias (the anchor must be set before the alias): paris"],
])("a file that is no YAML, %j, is refused in a line with its name and the place in it", async (text, problem) => {
  await write(text);
  await expect(readStackFile(root, "test")).rejects.toMatchObject({
    message: `${root}/Pulumi.test.yaml: cannot be read as YAML: ${problem}`,
  });
});

test.each([
  ["config: {}\n---\nconfig: {}\n", 'cannot be read as YAML: it has several documents (a line "---"), want one'],
  ["- a\n", "got a list, want keys with their values, as the examples have them"],
  ["hello", 'got "hello", want keys with their values, as the examples have them'],
  ["config: hello\n", 'config: got "hello", want keys with their values, as the examples have them'],
  ["config:\n- karmada:sample: true\n", "config: got a list, want keys with their values, as the examples have them"],
  [
    "karmada:placement: { kind: hosts }\nconfg:\n  karmda:members: []\n",
    [
      "it is wrong",
      "  karmada:placement: stands outside of config:, indent it below that",
      '  confg: unknown key of a stack file, did you mean "config"?',
    ].join("\n"),
  ],
  [
    "config:\n  karmda:members: []\n  aws:region: x\n",
    'it is wrong\n  karmda:members: unknown namespace "karmda", did you mean "karmada:members"?',
  ],
])("a file of another form, %j, is refused before there is a stack", async (text, message) => {
  await write(text);
  await expect(readStackFile(root, "test")).rejects.toMatchObject({ message: `${root}/Pulumi.test.yaml: ${message}` });
});

test("a stack without a file is refused, and told where to get one", async () => {
  await expect(readStackFile(root, "test")).rejects.toThrow(
    `stack test: there is no file ${root}/Pulumi.test.yaml, write one (examples/ has one for each way to run)`,
  );
});

test("pulumi adds its encryption settings, and nothing else of the operator's text changes", async () => {
  const before = "# a comment\nconfig:\n  karmada:sample: true\n";
  await write(before);
  await keepingText(root, "test", () => write('encryptionsalt: v1:x\nconfig:\n  karmada:sample: "true"\n'));
  expect(await readFile(join(root, "Pulumi.test.yaml"), "utf8")).toBe(`${before}encryptionsalt: v1:x\n`);
});

test("encryption settings are lines of their own, also after a last line that the operator's editor has not ended", async () => {
  await write("config:\n  karmada:sample: true");
  await keepingText(root, "test", () => write('config:\n  karmada:sample: "true"\nencryptionsalt: v1:x\n'));
  expect(await readFile(join(root, "Pulumi.test.yaml"), "utf8")).toBe(
    "config:\n  karmada:sample: true\nencryptionsalt: v1:x\n",
  );
});

test("a removed stack leaves its file as it was before it was made", async () => {
  const before = "# a comment\nconfig:\n  karmada:sample: true\n";
  await write(`${before}encryptionsalt: v1:vEepXnDv/0=:v1:7K4+SMLIcKCeB500:x==\n`);
  await forgetEncryption(root, "test");
  expect(await readFile(join(root, "Pulumi.test.yaml"), "utf8")).toBe(before);
});

test("encryption settings stay as long as something is encrypted with them", () => {
  const plain = "config:\n  karmada:etcd:\n    key:\n      secure: AAAB\nencryptionsalt: v1:x\n";
  const quoted = 'config:\n  karmada:etcd: { "key": { "secure": "AAAB" } }\nencryptionsalt: v1:x\n';
  for (const text of [plain, quoted]) expect(withoutEncryption(text)).toBe(text);
});

test("a secrets provider stays for the next stack, with its key", () => {
  const text = "secretsprovider: awskms://alias/karmada\nconfig: {}\nencryptedkey: AQ==\n";
  expect(withoutEncryption(text)).toBe(text);
});
