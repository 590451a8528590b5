import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { execa } from "execa";
import { parse } from "yaml";
import { monitoringFiles } from "../../cli/monitoring/files.ts";
import { writeFiles } from "../../cli/monitoring/write.ts";
import { listFile } from "../../cli/monitoring/written.ts";
import type { ScrapeTarget } from "../../lib/monitoring/monitored.ts";
import { pods, target } from "../lib/monitoring/support.ts";

const root = join(import.meta.dirname, "..", "..");

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "karmada-monitoring-"));
});
afterEach(() => rm(directory, { recursive: true }));

const filesOf = (...targets: ScrapeTarget[]) => {
  const pem = { authority: "CA", certificate: "CERTIFICATE", key: "KEY" };
  return monitoringFiles({ deployment: "prod", targets, renewBeforeSeconds: 3600, ...pem }, {});
};
const written = async () =>
  (await readdir(directory, { recursive: true })).filter((path) => basename(path) !== listFile).sort();
const onHosts = (...hosts: string[]) =>
  filesOf(...hosts.map((host) => target("etcd", { host, process: `etcd-${host}` })));

test("on one machine the files lie side by side, and the key can be read by nobody else", async () => {
  await writeFiles(join(directory, "new"), filesOf(target("kube-apiserver", { scheme: "https" })));
  expect(await written()).toEqual([
    "new",
    ...[
      "ca.crt",
      "client.crt",
      "client.key",
      "grafana",
      "grafana/dashboard.json",
      "rules.yaml",
      "scrape-configs.yaml",
    ].map((name) => `new/${name}`),
  ]);
  expect((await stat(join(directory, "new/client.key"))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(directory, "new/client.key"), "utf8")).toBe("KEY");
  expect(await readFile(join(directory, "new/client.crt"), "utf8")).toBe("CERTIFICATE");
  expect(await readFile(join(directory, "new/ca.crt"), "utf8")).toBe("CA");
});

test("on hosts each has what is there to be scraped, and the rules are there once", async () => {
  await writeFiles(directory, onHosts("host1", "host2"));
  const four = (host: string) =>
    ["ca.crt", "client.crt", "client.key", "scrape-configs.yaml"].map((file) => `hosts/${host}/${file}`);
  expect(await written()).toEqual(
    [
      "grafana",
      "grafana/dashboard.json",
      "hosts",
      "hosts/host1",
      ...four("host1"),
      "hosts/host2",
      ...four("host2"),
      "rules.yaml",
    ].sort(),
  );
  const { scrape_configs: jobs } = parse(
    await readFile(join(directory, "hosts/host2/scrape-configs.yaml"), "utf8"),
  ) as {
    scrape_configs: { static_configs: { labels: { process: string } }[] }[];
  };
  expect(jobs.flatMap((job) => job.static_configs.map(({ labels }) => labels.process))).toEqual(["etcd-host2"]);
});

test("for pods it is objects of their cluster, and those with the key can be read by nobody else", async () => {
  await writeFiles(directory, onHosts("host1"));
  const pem = { authority: "CA", certificate: "CERTIFICATE", key: "KEY" };
  const inPods = { namespace: "fleet", from: ["monitoring"] };
  const targets = [pods("karmada-webhook")];
  const monitored = { deployment: "prod", targets, pods: inPods, renewBeforeSeconds: 3600, ...pem };
  await writeFiles(directory, monitoringFiles(monitored, {}));
  expect(await written()).toEqual([
    "grafana",
    "grafana/dashboard.json",
    "prometheus-client.yaml",
    "prometheus-operator.yaml",
  ]);
  expect((await stat(join(directory, "prometheus-client.yaml"))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(directory, "prometheus-operator.yaml"), "utf8")).not.toContain("KEY");
});

test("what an earlier configuration had and this one has not goes, files of others stay", async () => {
  await writeFiles(directory, onHosts("host1", "host2", "host3"));
  await writeFile(join(directory, "prometheus.yml"), "global: {}");
  await writeFile(join(directory, "hosts/host3/notes"), "mine");
  await writeFiles(directory, onHosts("host1"));
  expect((await written()).filter((path) => !path.startsWith("hosts/host1"))).toEqual([
    "grafana",
    "grafana/dashboard.json",
    "hosts",
    "hosts/host3",
    "hosts/host3/notes",
    "prometheus.yml",
    "rules.yaml",
  ]);
  await writeFiles(directory, filesOf(target("etcd")));
  expect((await written()).filter((path) => path.endsWith("client.key"))).toEqual(["client.key"]);
});

test("a directory that cannot be written to is named", async () => {
  await writeFile(join(directory, "file"), "");
  const into = join(directory, "file/monitoring");
  await expect(writeFiles(into, onHosts("host1"))).rejects.toThrow(
    new RegExp(`^${into}: writing the configuration: .*ENOTDIR.*\nname another directory with --output$`),
  );
});

test("files of others that are in the way are named before anything is written, and others stay", async () => {
  const others = { "rules.yaml": "groups: []", "ca.crt": "of others", "grafana/dashboard.json": "{}" };
  await mkdir(join(directory, "grafana"));
  for (const [path, text] of Object.entries(others)) await writeFile(join(directory, path), text);
  await expect(writeFiles(directory, filesOf(target("kube-apiserver", { scheme: "https" })))).rejects.toThrow(
    `${directory}: writing the configuration: ca.crt, rules.yaml, grafana/dashboard.json: there already, and ${listFile} does not say that an earlier run has written it\n` +
      "delete what an earlier release may have written there, or move away what is somebody else's\nname another directory with --output",
  );
  expect(await written()).toEqual(["ca.crt", "grafana", "grafana/dashboard.json", "rules.yaml"]);

  for (const path of ["rules.yaml", "grafana/dashboard.json"]) await rm(join(directory, path));
  for (let run = 0; run < 2; run++) await writeFiles(directory, onHosts("host1"));
  expect(await readFile(join(directory, "ca.crt"), "utf8")).toBe("of others");
  await expect(writeFiles(directory, filesOf(target("etcd")))).rejects.toThrow(": ca.crt: there already");
  expect(await written()).toContain("hosts/host1/client.key");
});

test("a directory that an earlier release has written goes on, whatever it was for", async () => {
  const pem = { authority: "CA", certificate: "CERTIFICATE", key: "KEY" };
  const inPods = { namespace: "fleet", from: ["monitoring"] };
  const ofPods = {
    deployment: "prod",
    targets: [pods("karmada-webhook")],
    pods: inPods,
    renewBeforeSeconds: 3600,
    ...pem,
  };
  for (const files of [filesOf(target("etcd")), onHosts("host1"), monitoringFiles(ofPods, {})]) {
    await writeFiles(directory, files);
    await rm(join(directory, listFile));
  }
  await writeFiles(directory, onHosts("host2"));
  expect(await written()).toEqual([...onHosts("host2").keys(), "grafana", "hosts", "hosts/host2"].sort());
});

test.each([
  [["--output="], '--output: got "", want a directory'],
  [["--ouput", "x"], "Unknown option '--ouput'"],
  [["x"], "Unexpected argument 'x'"],
])("npm run monitoring -- %j is wrong usage", async (args, message) => {
  const run = await execa("node", [join(root, "cli/monitoring.ts"), ...args], {
    cwd: root,
    reject: false,
    timeout: 60_000,
  });
  expect(run).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining(`npm run monitoring: ${message}`),
  });
});

test("a stack that is not there is said to be missing, and nothing is written", async () => {
  const env = { PULUMI_BACKEND_URL: `file://${directory}`, PULUMI_CONFIG_PASSPHRASE: "only for this test" };
  const args = [join(root, "cli/monitoring.ts"), "--stack", "nowhere", "--output", join(directory, "new")];
  const run = await execa("node", args, { cwd: root, env, reject: false, timeout: 60_000 });
  expect(run).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(
      "npm run monitoring: stack nowhere: there is none of this name, and no other; write ",
    ),
  });
  expect(await written()).not.toContain("new");
});

test("--help says what is written", async () => {
  const { stdout } = await execa("node", [join(root, "cli/monitoring.ts"), "--help"], { cwd: root, timeout: 60_000 });
  expect(stdout).toMatch(/^usage: npm run monitoring/);
});
