/** A Karmada in pods that loses its etcd, all of it and then most of it, and what it manages, which notices nothing. */
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import { podUser } from "../../lib/host-cluster/pod-user.ts";
import { connect, type KubeClient, type KubeObject } from "../../lib/kube/client.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { cleanUp } from "../support/clean-up.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { labImages } from "../support/kubernetes-lab/images.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { mountAsCeph } from "../support/mount.ts";
import { Programs } from "../support/running.ts";
import { type S3Server, startS3 } from "../support/s3.ts";
import { type Identities, Propagation } from "./support/propagation.ts";
import { TestStack } from "./support/stack.ts";
import { takeInto } from "./support/take-snapshot.ts";

jest.setTimeout(600_000);

interface Outputs {
  kubeconfig: string;
  etcd: { clusterId: string; members: { name: string; healthy: boolean }[] };
  etcdAccess: EtcdAccess;
  afterRestore?: { orphans: string[]; laggingBindings: string[]; unasked: string[] };
  backups?: { lastSuccess?: string; problem?: string; statusFile: string };
}

const labPort = 29340;
const memberPort = 29360;
const namespace = "fleet-to-save";
const describeLab = hasKubernetesLab(["bindfs"]) ? describe : describe.skip;

describeLab("a Karmada in a host cluster that loses its etcd", () => {
  const backup = mkdtempSync(join(tmpdir(), "kubernetes-restore-backup-"));
  /** Of the node, for the last of its data. */
  const onNode = mkdtempSync("/var/lib/kubernetes-restore-");
  /** Mounted on the node, which is this machine. */
  const ceph = mkdtempSync("/var/lib/kubernetes-restore-ceph-");
  const mounted = join(ceph, "mounted");
  const programs = new Programs(mkdtempSync(join(tmpdir(), "kubernetes-restore-member-")));
  let lab: KubernetesLab;
  let s3: S3Server;
  let host: KubeClient;
  let member: Cluster;
  let stack: TestStack;
  let propagation: Propagation;
  let plane: KubeClient;
  let outputs: Outputs;
  let etcds = ["etcd-0", "etcd-1", "etcd-2"];
  let before: Identities;
  let deleted: Promise<string[]>;
  let stopWatching: () => void;
  let unmount: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    lab = new KubernetesLab(14, labPort);
    await lab.start(labImages, 14);
    host = lab.cluster.client;
    const etcd = await startEtcd(programs, memberPort);
    member = await startCluster(programs, etcd, { name: "one", port: memberPort + 10, address: lab.network.machine });
    mkdirSync(join(ceph, "stored"), { mode: 0o700 });
    chownSync(join(ceph, "stored"), podUser, podUser);
    unmount = await mountAsCeph(join(ceph, "stored"), mounted);
    s3 = await startS3(programs, memberPort + 30, "karmada-backup", lab.network.machine);
    propagation = new Propagation(30, { one: member.client });
    stack = await TestStack.create({}, 0);
    const secret = async (kubeconfig: string) => ({ kind: "kubeconfig", kubeconfig: await stack.secret(kubeconfig) });
    stack.config = {
      placement: {
        kind: "kubernetes",
        credentials: await secret(lab.cluster.kubeconfig),
        namespace,
        storage: { storageClass },
        exposure: { kind: "nodePort", addresses: [lab.network.node], apiServer: 31443, etcd: 31379 },
      },
      controlPlane: Object.fromEntries(
        ["kube-apiserver", "kube-controller-manager", "karmada-aggregated-apiserver", "karmada-controller-manager"].map(
          (name) => [name, { replicas: 1 }],
        ),
      ),
      members: [{ name: "one", credentials: await secret(member.kubeconfig) }],
      snapshots: { targets: [{ kind: "local", directory: backup }], beforeChange: "never" },
    };
  }, 300_000);

  afterAll(async () => {
    stopWatching?.();
    await cleanUp(
      () => stack?.remove(),
      () => programs.remove(),
      () => lab?.stop(),
      () => unmount?.(),
      () => [backup, onNode, ceph].forEach((each) => rmSync(each, { recursive: true, force: true })),
    );
  }, 300_000);

  const up = async (...args: string[]) =>
    (await stack.successfully(["up", "--yes", "--skip-preview", ...args], { timeoutSeconds: 600 })).text;
  const preview = () => stack.preview();
  const restoreOf = (restore: object) => ({ kind: "managed", restore });
  const of = (group: string, kind: string) => `${group}/namespaces/${namespace}/${kind}`;
  const claims = async () => {
    const query = { labelSelector: "karmada-pulumi/member" };
    const { items } = await host.get<{ items: KubeObject[] }>(of("/api/v1", "persistentvolumeclaims"), { query });
    return items.map(({ metadata }) => metadata?.name).toSorted();
  };
  /** Where the data of a claim lie. */
  const directoryOf = async (claim: string) => {
    const { spec } = await host.get(of("/api/v1", `persistentvolumeclaims/${claim}`));
    const volume = await host.get(`/api/v1/persistentvolumes/${spec?.volumeName}`);
    return volume["spec"]?.local.path as string;
  };
  /** UID of each pod by its program. */
  const pods = async () => {
    const { items } = await host.get<{ items: KubeObject[] }>(of("/api/v1", "pods"));
    return Object.fromEntries(
      items.map(({ metadata }) => [metadata?.uid, metadata?.labels?.["app.kubernetes.io/instance"]]),
    ) as Record<string, string>;
  };
  /** Members of etcd are gone with their volumes. */
  const lose = async (names: readonly string[]) => {
    for (const name of names) {
      await host.delete(of("/apis/apps/v1", `statefulsets/${name}`), { propagationPolicy: "Background" });
      const query = { labelSelector: `karmada-pulumi/member=${name}` };
      await host.request("DELETE", of("/api/v1", "persistentvolumeclaims"), { query });
      await waitFor(`${name} to be gone with its data`, deadlineIn(60), async () => {
        const pod = await host.find(of("/api/v1", `pods/${name}-0`));
        const { items } = await host.get<{ items: object[] }>(of("/api/v1", "persistentvolumeclaims"), { query });
        return pod === undefined && items.length === 0 ? undefined : new Pending(`${items.length} volumes are left`);
      });
    }
  };

  test("objects are propagated and a snapshot is taken", async () => {
    await up();
    outputs = await stack.outputs<Outputs>();
    plane = await connect(outputs.kubeconfig);
    await propagation.begin(plane);
    before = await propagation.identities(plane);
    await takeInto(backup, outputs.etcdAccess);
    await propagation.add(plane, "late");
    ({ deleted, stopWatching } = propagation.watchDeletions(deadlineIn(3000)));
  });

  test("a restore over a Karmada that works is refused in the preview, and nothing is started for it", async () => {
    const there = await pods();
    stack.config["etcd"] = restoreOf({ generation: 1, replaceClusterId: "none" });
    const { exitCode, text } = await preview();
    expect(exitCode).not.toBe(0);
    expect(text).toContain(`set replaceClusterId to "${outputs.etcd.clusterId}" if these data may go`);
    expect(text).toContain("set overwriteHealthy to true if that is what you want");
    expect(await pods()).toEqual(there);
  });

  test("every volume is lost: one edit and one up bring it back, and start all that remembers other data", async () => {
    await lose(etcds);
    expect(await claims()).toEqual([]);
    stack.config["etcd"] = restoreOf({ generation: 1, replaceClusterId: "none" });
    expect((await preview()).text).toContain(`fills an empty etcd (etcd-0, etcd-1, etcd-2) by file://${backup}`);
    const old = await pods();
    const began = performance.now();
    await up();
    const took = (performance.now() - began) / 1000;
    outputs = await stack.outputs<Outputs>();
    plane = await connect(outputs.kubeconfig);
    await propagation.ready(plane, deadlineIn(120));
    console.info(
      `every volume lost: up ${took.toFixed(1)} s, members Ready after ${((performance.now() - began) / 1000).toFixed(1)} s`,
    );
    expect(await propagation.identities(plane)).toEqual(before);
    expect(outputs.afterRestore).toMatchObject({ orphans: ["one: ConfigMap default/late"], laggingBindings: [] });
    expect(Object.keys(await pods()).filter((uid) => uid in old)).toEqual([]);
    expect(await claims()).toEqual(etcds.map((name) => `${name}-data-1`));
    await up("--expect-no-changes");
  });

  test("a majority is lost: the volume of the survivor brings everything back, with what came last, and is kept", async () => {
    await propagation.add(plane, "new");
    await lose(["etcd-0", "etcd-2"]);
    const source = { kind: "member", member: "etcd-1" };
    // It runs, and has no quorum: its files are read where nobody answers.
    await host.merge(of("/apis/apps/v1", "statefulsets/etcd-1"), { spec: { replicas: 0 } });
    await waitFor("etcd-1 to be gone", deadlineIn(60), async () =>
      (await host.find(of("/api/v1", "pods/etcd-1-0"))) === undefined ? undefined : new Pending("it ends"),
    );
    stack.config["etcd"] = restoreOf({ generation: 2, replaceClusterId: outputs.etcd.clusterId, source });
    await up();
    outputs = await stack.outputs<Outputs>();
    plane = await connect(outputs.kubeconfig);
    await propagation.ready(plane, deadlineIn(120));
    expect(await propagation.identities(plane)).toEqual(before);
    expect(await plane.find("/api/v1/namespaces/default/configmaps/new")).toBeDefined();
    expect(await claims()).toEqual(["etcd-0-data-1", "etcd-1-data-1", "etcd-1-data-2", "etcd-2-data-1"]);
    await up("--expect-no-changes");
    await stack.successfully(["refresh", "--yes", "--skip-preview", "--expect-no-changes"], { timeoutSeconds: 300 });
  });

  test("snapshots are taken by the clock from a pod that is nobody in particular, into a volume and to S3, and what came of them is told", async () => {
    const persistentVolume = "karmada-backup";
    stack.config["snapshots"] = {
      targets: [
        { kind: "cephfs", directory: mounted, volume: { persistentVolume } },
        {
          ...s3.settings,
          credentials: { ...s3.settings.credentials, secretAccessKey: await stack.secret("test-secret-key") },
        },
      ],
      schedule: { cron: "0 3 * * *", drill: "0 4 * * 0" },
      verify: "restore",
      beforeChange: "never",
    };
    expect((await preview()).text).toContain(
      `PersistentVolume "${persistentVolume}" (snapshots.targets): there is none`,
    );
    await host.create("/api/v1/persistentvolumes", {
      metadata: { name: persistentVolume },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteMany"],
        persistentVolumeReclaimPolicy: "Retain",
        hostPath: { path: mounted, type: "Directory" },
      },
    });
    await up();
    outputs = await stack.outputs<Outputs>();
    expect(outputs.backups).toMatchObject({ lastSuccess: expect.any(String) });
    expect(outputs.backups?.problem).toBeUndefined();
    const [deployment = ""] = readdirSync(mounted);
    const stored = readdirSync(join(mounted, deployment)).map((file) => join(mounted, deployment, file));
    expect(stored.map((file) => [file.split(".").at(-1), statSync(file).uid]).toSorted()).toEqual([
      ["db", podUser],
      ["json", podUser],
    ]);
    const query = { labelSelector: "app.kubernetes.io/instance=etcd-backup" };
    const { items } = await host.get<{ items: KubeObject[] }>(of("/api/v1", "pods"), { query });
    const { spec } = items[0]!;
    expect([items.length, spec.automountServiceAccountToken]).toEqual([1, false]);
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    for (const { securityContext } of spec.containers as { securityContext: object }[])
      expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
    await up("--expect-no-changes");
    await stack.successfully(["refresh", "--yes", "--skip-preview", "--expect-no-changes"], { timeoutSeconds: 300 });
  });

  test("storage that is declared anew is for data to come: nothing is started for it", async () => {
    const there = await pods();
    const { placement } = stack.config as { placement: object };
    stack.config["placement"] = { ...placement, storage: { hostPath: onNode } };
    await up();
    expect(await pods()).toEqual(there);
    expect(readdirSync(onNode)).toEqual([]);
  });

  test("a scheduled snapshot, from its volume, takes a Karmada that works back in time, where that is allowed, onto another member and directories of the node", async () => {
    await propagation.add(plane, "later");
    const restore = { generation: 3, replaceClusterId: outputs.etcd.clusterId, overwriteHealthy: true };
    etcds = ["etcd-0", "etcd-1", "etcd-3"];
    stack.config["etcd"] = { ...restoreOf(restore), members: etcds };
    const { text } = await preview();
    expect(text).toContain("ends etcd-2, no member any more");
    expect(text).toContain(`by file://${mounted}/`);
    await up();
    expect(await host.find(of("/api/v1", "pods/etcd-2-0"))).toBeUndefined();
    outputs = await stack.outputs<Outputs>();
    plane = await connect(outputs.kubeconfig);
    await propagation.ready(plane, deadlineIn(120));
    expect(await propagation.identities(plane)).toEqual(before);
    expect(await plane.find("/api/v1/namespaces/default/configmaps/new")).toBeDefined();
    expect(await plane.find("/api/v1/namespaces/default/configmaps/later")).toBeUndefined();
    expect(outputs.afterRestore?.orphans).toContain("one: ConfigMap default/later");
    expect((await claims()).length).toBe(7);
    expect(readdirSync(onNode)).toHaveLength(3);
    for (const claim of ["etcd-0-data-2", "etcd-1-data-3", "etcd-3-data-1"])
      expect((await directoryOf(claim)).startsWith(`${onNode}/${namespace}-${claim}-`)).toBe(true);
    await up("--expect-no-changes");
  });

  test("a member whose volume is empty does not start as another one, and comes back as it is declared", async () => {
    const volume = await directoryOf("etcd-0-data-2");
    expect(readdirSync(join(volume, "2", "member")).sort()).toEqual(["snap", "wal"]);
    const container = async () => {
      const { status } = await host.get(of("/api/v1", "pods/etcd-0-0"));
      return status?.containerStatuses?.[0] as {
        restartCount: number;
        lastState?: { terminated?: { exitCode: number } };
      };
    };
    rmSync(join(volume, "2"), { recursive: true });
    lab.kill("--name=etcd-0");
    await waitFor("etcd-0 to be started in vain", deadlineIn(90), async () => {
      const { restartCount, lastState } = await container();
      return restartCount >= 2 && lastState?.terminated?.exitCode === 1 ? true : new Pending(`${restartCount} times`);
    });
    expect(existsSync(join(volume, "2", "member", "wal"))).toBe(false);
    await waitFor("etcd to say why", deadlineIn(60), async () => {
      const text = await host.get<string>(of("/api/v1", "pods/etcd-0-0/log"));
      return text.includes("couldn't find local name") ? true : new Pending(text.slice(-300));
    });
    await plane.get("/api/v1/namespaces/kube-system");
    stack.config["etcd"] = { ...(stack.config["etcd"] as object), replace: { "etcd-0": 1 } };
    await up();
    outputs = await stack.outputs<Outputs>();
    expect(outputs.etcd.members.map(({ name, healthy }) => [name, healthy])).toEqual(etcds.map((name) => [name, true]));
    expect(readdirSync(join(await directoryOf("etcd-0-data-3"), "3", "member")).sort()).toEqual(["snap", "wal"]);
  });

  test("no object was deleted in the member", async () => {
    stopWatching();
    expect(await deleted).toEqual([]);
  });
});
