/** Events in an etcd of their own on three hosts: where they lie, what a member of it that is lost means, restore, and that nothing is left. */
import { mkdtempSync, rmSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostAt } from "../../lib/hosts/hosts.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasLab } from "../support/nspawn-lab.ts";
import { HostsDeployment } from "./support/hosts-deployment.ts";
import { EventsApart, noteEvent } from "./support/events-apart.ts";
import { allReady, eventually, type Kubectl, Kubectls } from "./support/kubectl.ts";
import type { TestStack } from "./support/stack.ts";

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a Karmada on three hosts that keeps events in an etcd of their own", () => {
  let deployment: HostsDeployment;
  let before: string[];
  let stack: TestStack;
  let kubectl: Kubectl;
  let events: EventsApart;
  const kubectls = new Kubectls();
  const backup = mkdtempSync(join(tmpdir(), "hosts-overrides-backup-"));

  beforeAll(async () => {
    deployment = await HostsDeployment.create(23, 28980);
    ({ stack } = deployment);
    before = await fingerprints();
    events = new EventsApart(stack);
    events.declare({ members: 3 });
    stack.config["snapshots"] = {
      targets: [{ kind: "local", directory: "/backup" }],
      beforeChange: "never",
      schedule: { cron: "* * * * *", jitter: "1s" },
    };
  }, 600_000);

  afterAll(async () => {
    await kubectls.remove();
    await deployment?.stop();
    rmSync(backup, { recursive: true });
  }, 300_000);

  const fingerprints = () => Promise.all(deployment.machines.map(fingerprintOf));
  const ask = (machine: number, script: string) => hostAt(deployment.machines[machine]!.address).run("asking", script);

  test("an event lies in each member of that etcd and in none of the first one's, whose snapshots have both", async () => {
    expect(await events.up()).toEqual([0, 1, 2].map((i) => [`etcd-events-${i}`, true]));
    expect(events.outputs.etcd.overrides.events.clusterId).not.toBe(events.outputs.etcd.clusterId);
    kubectl = await kubectls.to(events.outputs.kubeconfig);
    await allReady(kubectl, 3);
    await noteEvent(kubectl, "first");
    expect(events.endpoints).toEqual(deployment.machines.map(({ ip }) => `https://${ip}:2391`));
    await eventually(
      () => events.in(events.endpoints),
      (found) => found.every((keys) => keys.includes("default/first")),
    );
    expect(await events.in(events.outputs.etcdAccess.endpoints)).toEqual([[], [], []]);
    expect(events.outputs.backups).toMatchObject({ lastSuccess: expect.any(String) });
    expect(events.outputs.backups.problem).toBeUndefined();
    const directory = deployment.machines[0]!.path("/backup");
    expect((await readdir(directory)).sort()).toEqual(["test", "test.events"]);
    const manifests = (await readdir(`${directory}/test`)).filter((name) => name.endsWith(".json"));
    expect(await readFile(`${directory}/test/${manifests[0]}`, "utf8")).toContain('"events"');
  }, 960_000);

  test("a second up and a refresh find nothing to change", async () => {
    await events.unchanged();
    await events.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
  }, 300_000);

  test("with one of its members killed events are written and read, also through the API server beside it", async () => {
    await ask(1, "systemctl kill -s KILL karmada-etcd-events-1; systemctl stop karmada-etcd-events-1");
    await noteEvent(kubectl, "second");
    for (const { ip } of deployment.machines) {
      const there = await kubectls.to(events.outputs.kubeconfig.replace(/server: .*/, `server: https://${ip}:5443`));
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
    events.declare({ members: 3, replace: { "etcd-events-1": 1 } });
    expect(await events.up()).toEqual([0, 1, 2].map((i) => [`etcd-events-${i}`, true]));
    expect((await events.in([events.endpoints[1]!]))[0]).toEqual(
      expect.arrayContaining(["default/first", "default/second"]),
    );
    events.declare({ members: 1, replace: {} });
    expect(await events.up()).toEqual([["etcd-events-0", true]]);
    expect(await ask(2, "ls -d /etc/karmada/etcd-events* /var/lib/karmada/etcd-events* 2>/dev/null || true")).toBe("");
    await noteEvent(kubectl, "third");
    expect((await events.in(events.endpoints))[0]).toContain("default/third");
    await events.unchanged();
  }, 600_000);

  test("a restore takes both etcds back to the same snapshot", async () => {
    expect(await events.goBack(backup, kubectl, { members: 1 })).toEqual([["etcd-events-0", true]]);
    expect((await events.in(events.endpoints))[0]).toEqual(
      expect.arrayContaining(["default/first", "default/second", "default/third"]),
    );
    await allReady(kubectl, 3);
    await events.unchanged();
  }, 600_000);

  test("destroy leaves the hosts as they were", async () => {
    await events.pulumi("destroy", "--yes", "--skip-preview");
    expect(await fingerprints()).toEqual(before);
  }, 300_000);
});
