/** A deployment that is upgraded: one program alone, then everything, with what it runs undisturbed; no way back by accident. */
import { mkdtempSync, rmSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { jest } from "@jest/globals";
import { defaultVersions, install } from "../../toolchain/index.ts";
import { killTree } from "./support/kill-tree.ts";
import { eventually, type Json, type Kubectl, Kubectls } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";
import { programsOfVersions, smallDeployment } from "./support/version-set.ts";

jest.setTimeout(300_000);

const older = { ...defaultVersions, karmada: "1.17.1", kubernetes: "1.34.3" };
const names = [...smallDeployment, "karmada-agent", "karmada-scheduler-estimator"];
const title = `an upgrade from Karmada ${older.karmada} and Kubernetes ${older.kubernetes}`;
const { wanted, skipped } = await programsOfVersions(title, names, older);

const secondsSince = (started: number) => ((performance.now() - started) / 1000).toFixed(1);

(skipped ? describe.skip : describe)(title, () => {
  const backup = mkdtempSync(join(tmpdir(), "upgrade-backup-"));
  const kubectls = new Kubectls();
  let stack: TestStack;
  let plane: Kubectl;
  let before: Json[];

  beforeAll(async () => {
    await install(wanted);
    const members = [
      { name: "member1", credentials: { kind: "simulated" } },
      { name: "member2", syncMode: "Pull", credentials: { kind: "simulated" } },
    ];
    stack = await TestStack.create(
      {
        ...{ versions: older, members, sample: true },
        controlPlane: { "karmada-scheduler-estimator": { enabled: true } },
        snapshots: { targets: [{ kind: "local", directory: backup }], beforeChange: "required" },
      },
      26000,
    );
    await stack.up();
    plane = await kubectls.to((await stack.outputs<{ kubeconfig: string }>()).kubeconfig);
    await eventually(
      () => plane.get("deployment", "sample"),
      (sample: Json) => sample.status.readyReplicas === sample.spec.replicas,
      120,
    );
    before = await identities();
  }, 3_600_000);
  afterAll(async () => {
    await kubectls.remove();
    await stack?.remove();
    rmSync(backup, { recursive: true, force: true });
  }, 180_000);

  /** What would show that a workload was made anew, rolled out again or moved. */
  const identities = async (): Promise<Json[]> => {
    const members = await Promise.all(
      ["member1", "member2"].map(async (member) =>
        kubectls.to(await readFile(`${stack.directory}/${member}-kwok/kubeconfig`, "utf8")),
      ),
    );
    const found = await Promise.all(members.map((member) => member.get("deployments,pods", "--namespace=default")));
    const binding = await plane.get("resourcebinding", "sample-deployment");
    return [
      { uid: binding.metadata.uid, clusters: binding.spec.clusters },
      ...found.flatMap(({ items }) =>
        items.map((item: Json) => ({
          uid: item.metadata.uid,
          ...(item.kind === "Deployment" && { generation: item.metadata.generation }),
        })),
      ),
    ];
  };
  const versions = async () => (await stack.outputs<{ versions: Record<string, string> }>()).versions;
  const snapshots = async () => (await readdir(backup, { recursive: true })).filter((file) => file.endsWith(".json"));

  test("lets one program go ahead, with Karmada's definitions, after a snapshot", async () => {
    const [runs, taken] = [await stack.processes(), await snapshots()];
    stack.config.controlPlane = {
      ...(stack.config.controlPlane as object),
      "karmada-scheduler": { version: defaultVersions.karmada },
    };
    await stack.successfully(["up", "--yes"]);
    expect(await versions()).toMatchObject({ "karmada-scheduler": "1.18.2", "karmada-webhook": "1.17.1" });
    const definition = await plane.get("crd", "works.work.karmada.io");
    expect(definition.metadata.labels["app.kubernetes.io/version"]).toBe("1.18.2");
    const left = await stack.processes();
    const ended = runs.filter(({ pid }) => !left.some((each) => each.pid === pid));
    expect(ended.length).toBeGreaterThan(0);
    expect(ended.every(({ command }) => /karmada-scheduler(?!-estimator)/.test(command))).toBe(true);
    expect(await snapshots()).toHaveLength(taken.length + 1);
    expect(await identities()).toEqual(before);
  });

  test("brings everything to the new versions, killed on its way as well, and what runs in members stays as it is", async () => {
    stack.config.versions = { etcd: older.etcd };
    stack.config.controlPlane = { "karmada-scheduler-estimator": { enabled: true } };
    const { text } = await stack.preview();
    expect(text).toContain("1.18.2");
    const started = performance.now();
    const up = stack.start(["up", "--yes", "--skip-preview"]);
    await sleep(5_000 + 20_000 * Math.random());
    await killTree(up.pid!);
    await up;
    console.log(`pulumi up killed after ${secondsSince(started)} s`);
    await stack.up();
    console.log(`upgraded after ${secondsSince(started)} s`);
    for (const [program, version] of Object.entries(await versions()))
      if (/^karmada-(?!apiserver)/.test(program)) expect([program, version]).toEqual([program, "1.18.2"]);
    const { gitVersion } = JSON.parse(await plane(["get", "--raw", "/version"])) as { gitVersion: string };
    expect(gitVersion).toBe("v1.35.3");
    await eventually(
      () => plane.get("clusters"),
      ({ items }: Json) => items.every((cluster: Json) => cluster.status.kubernetesVersion === "v1.35.3"),
      60,
    );
    expect(await identities()).toEqual(before);
    await stack.successfully(["preview", "--refresh", "--expect-no-changes"]);
  });

  test("places work after it as before", async () => {
    await plane(["scale", "deployment", "sample", "--replicas=4"]);
    await eventually(
      () => plane.get("deployment", "sample"),
      (sample: Json) => sample.status.readyReplicas === 4,
      60,
    );
  });

  test("refuses the way back in the preview, and nothing is touched", async () => {
    const runs = await stack.processes();
    stack.config.versions = older;
    const { exitCode, text } = await stack.preview();
    expect(exitCode).not.toBe(0);
    expect(text).toContain(
      "Karmada's definitions 1.17.1: 1.18.2 is there, and nobody promises that 1.17.1 reads what it has written",
    );
    expect(text).toContain("kube-apiserver 1.34.3: 1.35.3 is there");
    expect((await stack.pulumi(["up", "--yes"])).exitCode).not.toBe(0);
    expect(await stack.processes()).toEqual(runs);
    stack.config.versions = { etcd: older.etcd };
  });
});
