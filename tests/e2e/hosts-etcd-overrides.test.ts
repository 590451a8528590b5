/** Events in an etcd of their own on three hosts: where they lie, what a member of it that is lost means, restore, and that nothing is left. */
import { mkdtempSync, rmSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import { hostAt } from "../../lib/hosts/hosts.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab } from "../support/nspawn-lab.ts";
import { HostsDeployment } from "./support/hosts-deployment.ts";
import { keysBelow } from "./support/keys-in-etcd.ts";
import { allReady, eventually, type Kubectl, Kubectls } from "./support/kubectl.ts";
import type { TestStack } from "./support/stack.ts";
import { takeInto } from "./support/take-snapshot.ts";

interface EtcdState {
  clusterId: string;
  members: { name: string; healthy: boolean }[];
  overrides: { events: EtcdState };
}

interface Outputs {
  kubeconfig: string;
  etcd: EtcdState;
  etcdAccess: EtcdAccess;
  backups: { lastSuccess?: string; problem?: string };
}

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a Karmada on three hosts that keeps events in an etcd of their own", () => {
  let deployment: HostsDeployment;
  let before: string[];
  let stack: TestStack;
  let kubectl: Kubectl;
  let outputs: Outputs;
  const kubectls = new Kubectls();
  const backup = mkdtempSync(join(tmpdir(), "hosts-overrides-backup-"));

  beforeAll(async () => {
    deployment = await HostsDeployment.create(23, 28980);
    ({ stack } = deployment);
    before = await fingerprints();
    stack.config["etcd"] = etcd({ members: 3 });
    stack.config["snapshots"] = {
      targets: [{ kind: "local", directory: "/backup" }],
      beforeChange: "never",
      schedule: { cron: "* * * * *", jitter: "1s" },
    };
  }, 300_000);

  afterAll(async () => {
    await kubectls.remove();
    await deployment?.stop();
    rmSync(backup, { recursive: true });
  }, 300_000);

  const etcd = (events: object) => ({
    kind: "managed",
    overrides: [{ name: "events", resources: ["/events"], ...events }],
  });
  const fingerprints = () => Promise.all(deployment.machines.map(fingerprintOf));
  const ask = (machine: number, script: string) => hostAt(deployment.machines[machine]!.address).run("asking", script);
  const pulumi = async (...args: string[]) => (await stack.successfully(args, { timeoutSeconds: 900 })).text;
  const up = async () => {
    await pulumi("up", "--yes", "--skip-preview");
    outputs = await stack.outputs<Outputs>();
    return outputs.etcd.overrides.events.members.map(({ name, healthy }) => [name, healthy]);
  };
  const eventsIn = async (endpoints: readonly string[]) =>
    Promise.all(endpoints.map((endpoint) => keysBelow(outputs.etcdAccess, endpoint, "events")));
  const part = () => outputs.etcdAccess.parts.find(({ name }) => name === "events")!;
  const noted = (name: string) =>
    kubectl(
      ["create", "-f", "-"],
      JSON.stringify({
        ...{ apiVersion: "v1", kind: "Event", metadata: { name, namespace: "default" } },
        ...{ involvedObject: { namespace: "default" }, reason: "Tested", message: name, type: "Normal" },
      }),
    );

  test("an event lies in each member of that etcd and in none of the first one's, whose snapshots have both", async () => {
    expect(await up()).toEqual([0, 1, 2].map((i) => [`etcd-events-${i}`, true]));
    expect(outputs.etcd.overrides.events.clusterId).not.toBe(outputs.etcd.clusterId);
    kubectl = await kubectls.to(outputs.kubeconfig);
    await allReady(kubectl, 3);
    await noted("first");
    expect(part().endpoints).toEqual(deployment.machines.map(({ ip }) => `https://${ip}:2391`));
    await eventually(
      () => eventsIn(part().endpoints),
      (found) => found.every((keys) => keys.includes("default/first")),
    );
    expect(await eventsIn(outputs.etcdAccess.endpoints)).toEqual([[], [], []]);
    expect(outputs.backups).toMatchObject({ lastSuccess: expect.any(String) });
    expect(outputs.backups.problem).toBeUndefined();
    const directory = deployment.machines[0]!.path("/backup");
    expect((await readdir(directory)).sort()).toEqual(["test", "test.events"]);
    const manifests = (await readdir(`${directory}/test`)).filter((name) => name.endsWith(".json"));
    expect(await readFile(`${directory}/test/${manifests[0]}`, "utf8")).toContain('"events"');
  }, 960_000);

  test("a second up and a refresh find nothing to change", async () => {
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
  }, 300_000);

  test("with one of its members killed events are written and read, also through the API server beside it", async () => {
    await ask(1, "systemctl kill -s KILL karmada-etcd-events-1; systemctl stop karmada-etcd-events-1");
    await noted("second");
    for (const { ip } of deployment.machines) {
      const there = await kubectls.to(outputs.kubeconfig.replace(/server: .*/, `server: https://${ip}:5443`));
      const read = await eventually(
        () => there(["get", "event", "first", "second", "-o", "name"]),
        () => true,
        60,
      );
      expect(read.trim().split("\n")).toEqual(["event/first", "event/second"]);
    }
    await allReady(kubectl, 3);
  }, 300_000);

  test("one whose data are lost is replaced by an edit, and the etcd shrinks to one member", async () => {
    await ask(1, "rm -rf /var/lib/karmada/etcd-events-1/*");
    stack.config["etcd"] = etcd({ members: 3, replace: { "etcd-events-1": 1 } });
    expect(await up()).toEqual([0, 1, 2].map((i) => [`etcd-events-${i}`, true]));
    expect((await eventsIn([part().endpoints[1]!]))[0]).toEqual(
      expect.arrayContaining(["default/first", "default/second"]),
    );
    stack.config["etcd"] = etcd({ members: 1, replace: {} });
    expect(await up()).toEqual([["etcd-events-0", true]]);
    expect(await ask(2, "ls -d /etc/karmada/etcd-events* /var/lib/karmada/etcd-events* 2>/dev/null || true")).toBe("");
    await noted("third");
    expect((await eventsIn(part().endpoints))[0]).toContain("default/third");
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 600_000);

  test("a restore takes both etcds back to the same snapshot", async () => {
    const { clusterId, overrides } = outputs.etcd;
    await takeInto(backup, outputs.etcdAccess);
    await noted("late");
    await kubectl(["create", "configmap", "late"]);
    const restore = {
      ...{ generation: 1, replaceClusterId: clusterId, overrides: { events: overrides.events.clusterId } },
      ...{ overwriteHealthy: true, source: { kind: "snapshot", target: { kind: "local", directory: backup } } },
    };
    stack.config["etcd"] = { ...etcd({ members: 1 }), restore };
    expect(await up()).toEqual([["etcd-events-0", true]]);
    expect(outputs.etcd.clusterId).not.toBe(clusterId);
    expect(outputs.etcd.overrides.events.clusterId).not.toBe(overrides.events.clusterId);
    const [keys] = await eventsIn(part().endpoints);
    expect(keys).toEqual(expect.arrayContaining(["default/first", "default/second", "default/third"]));
    expect(keys).not.toContain("default/late");
    await expect(kubectl(["get", "configmap", "late"])).rejects.toThrow("not found");
    await allReady(kubectl, 3);
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 600_000);

  test("destroy leaves the hosts as they were", async () => {
    await pulumi("destroy", "--yes", "--skip-preview");
    expect(await fingerprints()).toEqual(before);
  }, 300_000);
});
