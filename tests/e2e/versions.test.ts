/**
 * The pinned versions that are not the defaults: a stack of them comes up, places a workload, and goes.
 */
import { defaultVersions, install, listArtifacts, storeDirectory, type VersionSet } from "../../toolchain/index.ts";
import { eventually, kubectlFor, type Json } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";
import { programsOfVersions, smallDeployment } from "./support/version-set.ts";

const sets: readonly VersionSet[] = [
  { karmada: "1.17.1", kubernetes: "1.34.3", etcd: "3.6.8" },
  { ...defaultVersions, etcd: "3.5.35" },
  { ...defaultVersions, kubernetes: "1.35.8", etcd: "3.6.16" },
  { ...defaultVersions, kubernetes: "1.34.12" },
];

for (const versions of sets) {
  const title = `Karmada ${versions.karmada} with Kubernetes ${versions.kubernetes} and etcd ${versions.etcd}`;
  const { wanted, skipped } = await programsOfVersions(title, smallDeployment, versions);

  (skipped ? describe.skip : describe)(`a stack of ${title}`, () => {
    let stack: TestStack;

    beforeAll(async () => {
      await install(wanted);
      const member = { name: "member1", credentials: { kind: "simulated" } };
      stack = await TestStack.create({ versions, members: [member], sample: true }, 26000);
      await stack.up();
    }, 3_600_000);
    afterAll(() => stack?.remove(), 180_000);

    test("runs the programs of these versions, and no others", async () => {
      const artifacts = await listArtifacts(storeDirectory());
      const running = (await stack.processes()).flatMap(({ command }) =>
        artifacts.filter(({ path }) => command.startsWith(`${path} `)),
      );
      const found = new Set(running.map(({ name, version }) => `${name} ${version}`));
      const expected = wanted.filter(({ name }) => name !== "karmada-crds");
      expect([...found].toSorted()).toEqual(
        [...expected.map(({ name, version }) => `${name} ${version}`), "kwok 0.8.0"].toSorted(),
      );
    });

    test("has its member Ready and its sample placed and running there", async () => {
      const { kubeconfig, members } = await stack.outputs<{
        kubeconfig: string;
        members: { name: string; ready: boolean; kubernetesVersion: string }[];
      }>();
      expect(members).toEqual([
        expect.objectContaining({ name: "member1", ready: true, kubernetesVersion: `v${versions.kubernetes}` }),
      ]);
      const { kubectl, remove } = await kubectlFor(kubeconfig);
      try {
        expect(JSON.parse(await kubectl(["get", "--raw", "/version"]))).toMatchObject({
          gitVersion: `v${versions.kubernetes}`,
        });
        const binding = await eventually(
          () => kubectl.get("resourcebinding", "sample-deployment"),
          (found: Json) => found.spec.clusters?.length === 1,
        );
        const replicas = binding.spec.replicas as number;
        expect(binding.spec.clusters).toEqual([{ name: "member1", replicas }]);
        await eventually(
          () => kubectl.get("deployment", "sample"),
          (sample: Json) => sample.status.readyReplicas === replicas,
          60,
        );
      } finally {
        await remove();
      }
    }, 120_000);

    test("has nothing to change afterwards, and goes without a trace", async () => {
      await stack.successfully(["preview", "--refresh", "--expect-no-changes"]);
      await stack.successfully(["destroy", "--yes", "--skip-preview"]);
      expect(await stack.processes()).toEqual([]);
    }, 180_000);
  });
}
