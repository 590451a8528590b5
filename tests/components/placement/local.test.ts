import { jest } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { Process } from "../../../components/process.ts";

const created: { type: string; name: string; inputs: Record<string, unknown> }[] = [];
await pulumi.runtime.setMocks({
  newResource({ type, name, inputs }) {
    created.push({
      type,
      name,
      inputs: Object.fromEntries(Object.entries(inputs).filter(([key]) => key !== "__provider")),
    });
    const program = type.endsWith(":Program")
      ? { path: `/store/${inputs.name}`, sha256: `digest of ${inputs.name}` }
      : {};
    return { id: name, state: { ...inputs, ...program } };
  },
  call: ({ inputs }) => inputs,
});
const { localPlacement } = await import("../../../components/placement/local.ts");
const { simulatedEtcd } = await import("../../../components/processes/etcd-cluster.ts");
const { bind, data, file, host, port, text } = await import("../../../components/process.ts");

const localAt = (name: string, directory: string, basePort: number) =>
  localPlacement({
    name,
    versions: { karmada: "1.18.2", kubernetes: "1.35.3", etcd: "3.6.6", allowDowngrade: false },
    placement: { kind: "local", directory, basePort, address: "127.0.0.2", hooks: [] },
  });
const placement = localAt("dev", "/state/dev", 24000);

test("ports that the machine gives to outgoing connections are warned of, others are not", () => {
  const warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue();
  const range = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8");
  const [first, last] = range.trim().split(/\s+/).map(Number) as [number, number];
  try {
    localAt("beside", "/state/it", first - 1000);
    expect(warn).not.toHaveBeenCalled();
    localAt("among", "/state/it", first - 999);
    expect(warn.mock.calls.map(([text]) => text)).toEqual([
      expect.stringMatching(`^placement.basePort: got ${first - 999}, want another .* from ${first} to ${last} `),
    ]);
  } finally {
    warn.mockRestore();
  }
});

const apiserver: Process = {
  name: "karmada-apiserver",
  component: "kube-apiserver",
  program: { name: "kube-apiserver", version: "1.35.3" },
  args: [
    "--plain",
    text`--bind-address=${bind}`,
    text`--secure-port=${port("secure")}`,
    text`--etcd-servers=https://${host("etcd-0")}:${port("client", "etcd-0")}`,
    text`--tls-cert-file=${file("pki/tls.crt")}`,
    text`--cert-dir=${data()}`,
    text`--audit-log-path=${data("audit/audit.log")}`,
  ],
  env: { SEEN: text`${host()}` },
  limits: { memory: "512Mi", cpu: "1500m" },
  ports: ["secure"],
  files: {
    "pki/ca.crt": { from: "authority", authority: "karmada" },
    "pki/tls.crt": { from: "certificate", certificate: "apiserver" },
    "pki/tls.key": { from: "private-key", certificate: "apiserver" },
  },
  certificates: [],
  probe: {
    kind: "http",
    scheme: "https",
    port: "secure",
    path: "/readyz",
    authority: "karmada",
    certificate: "apiserver",
  },
  startDeadline: "60s",
  stopDeadline: "7s",
};

const settled = (resource: pulumi.Resource) => new Promise((resolve) => resource.urn.apply(resolve));

it("resolves a process to a supervised one: paths, addresses, ports, probe and limits", async () => {
  const files = { "pki/ca.crt": "CA", "pki/tls.crt": "CERT", "pki/tls.key": pulumi.secret("KEY") };
  const placed = placement.place(apiserver, files, {});
  await settled(placed.resource);
  const found = created.find(({ name }) => name === "dev-karmada-apiserver")!;
  expect(found.type).toBe("pulumi-nodejs:dynamic/local:LocalProcess");
  const { contents, ...inputs } = found.inputs as { contents: Record<string, unknown> };
  expect(inputs).toEqual({
    directory: "/state/dev",
    name: "karmada-apiserver",
    program: "/store/kube-apiserver",
    programSha256: "digest of kube-apiserver",
    args: [
      "--plain",
      "--bind-address=127.0.0.2",
      "--secure-port=24000",
      "--etcd-servers=https://127.0.0.2:24030",
      "--tls-cert-file=/state/dev/karmada-apiserver/pki/tls.crt",
      "--cert-dir=/state/dev/karmada-apiserver/data",
      "--audit-log-path=/state/dev/karmada-apiserver/data/audit/audit.log",
    ],
    env: { GOMEMLIMIT: "536870912", GOMAXPROCS: "2", SEEN: "127.0.0.2" },
    address: "127.0.0.2",
    ports: { secure: 24000 },
    probe: {
      kind: "http",
      url: "https://127.0.0.2:24000/readyz",
      caFile: "/state/dev/karmada-apiserver/pki/ca.crt",
      certFile: "/state/dev/karmada-apiserver/pki/tls.crt",
      keyFile: "/state/dev/karmada-apiserver/pki/tls.key",
    },
    startSeconds: 60,
    stopSeconds: 7,
  });
  // Mocks see a record that holds a secret as one secret.
  expect(contents).toEqual({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value: { "pki/ca.crt": "CA", "pki/tls.crt": "CERT", "pki/tls.key": "KEY" },
  });
});

it("writes down a process that somebody else starts, with all but what is asked once it runs", async () => {
  const etcd: Process = {
    ...apiserver,
    name: "etcd-0",
    files: {},
    ports: ["client"],
    args: ["--x"],
    rereads: ["pki/tls.crt"],
  };
  const placed = placement.prepare(etcd, { "pki/tls.crt": "CERT" }, {});
  await settled(placed.resource);
  const found = created.find(({ name }) => name === "dev-etcd-0")!;
  expect(found.type).toBe("pulumi-nodejs:dynamic/local:LocalPreparedProcess");
  expect(found.inputs).toEqual({
    directory: "/state/dev",
    name: "etcd-0",
    program: "/store/kube-apiserver",
    programSha256: "digest of kube-apiserver",
    args: ["--x"],
    env: { GOMEMLIMIT: "536870912", GOMAXPROCS: "2", SEEN: "127.0.0.2" },
    contents: { "pki/tls.crt": "CERT" },
    rereads: ["pki/tls.crt"],
    address: "127.0.0.2",
    ports: { client: 24030 },
    stopSeconds: 7,
  });
  expect(placement.etcdRuntime()).toEqual({ kind: "local", directory: "/state/dev" });
});

it("obtains a program once for all that run it, and says which version it is", async () => {
  const second = { ...apiserver, name: "member1-kube-apiserver" };
  const placed = [apiserver.name, second.name].map((name) =>
    placement.place({ ...apiserver, name: `${name}-again` }, {}, {}),
  );
  await Promise.all(placed.map(({ resource }) => settled(resource)));
  const programs = created.filter(({ type }) => type.endsWith(":Program"));
  expect(programs).toEqual([
    {
      type: "pulumi-nodejs:dynamic/local:Program",
      name: "dev-program-kube-apiserver-1.35.3",
      inputs: apiserver.program,
    },
  ]);
  expect(await new Promise((resolve) => placed[0]!.version.apply(resolve))).toBe("1.35.3");
});

it("runs a program of this project with the Node.js that runs this, and again when anything it is made of changes", async () => {
  const backup: Process = {
    ...apiserver,
    name: "own",
    program: { main: "lib/backup/main.ts" },
    args: [text`${data()}`],
    limits: {},
  };
  const { resource, version } = placement.place(backup, {}, {});
  await settled(resource);
  const { inputs } = created.find(({ name }) => name === "dev-own")!;
  const args = inputs.args as string[];
  expect(inputs.program).toBe(process.execPath);
  expect(args.slice(-2)).toEqual([join(import.meta.dirname, "../../../lib/backup/main.ts"), "/state/dev/own/data"]);
  expect(args.slice(0, -2).every((flag) => flag.startsWith("--"))).toBe(true);
  expect(inputs.programSha256).toMatch(/^[0-9a-f]{64}$/);
  expect(await new Promise((resolve) => version.apply(resolve))).toBe("0.1.0");
});

it("says where a program lies that a process runs itself", async () => {
  const path = placement.executable({ name: "etcdutl", version: "3.6.6" }, apiserver);
  expect(await new Promise((resolve) => path.apply(resolve))).toBe("/store/etcdutl");
});

it("says which version writes the data of the etcd that simulated members share, which cannot go back", async () => {
  const { resource } = placement.place(simulatedEtcd("3.6.6").process, {}, {});
  await settled(resource);
  expect(created.find(({ name }) => name === "dev-simulated-etcd")!.inputs.dataVersion).toBe("3.6.6");
});

it("says what a process follows, which others may have stopped", async () => {
  const follower = { ...apiserver, name: "follower" };
  const { resource } = placement.place(follower, {}, {}, pulumi.output("the cluster that was restored"));
  await settled(resource);
  expect(created.find(({ name }) => name === "dev-follower")!.inputs.follows).toBe("the cluster that was restored");
});

it("knows hosts and ports without placing anything", () => {
  expect(placement.host("anything")).toBe("127.0.0.2");
  expect(placement.port("etcd-0", "peer")).toBe(24031);
  expect(placement.text(apiserver, "plain")).toBe("plain");
});
