import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOtherwise } from "../../../lib/etcd/kubernetes-edited.ts";
import {
  begunAlready,
  bootstrapOf,
  initialClusterNote,
  notes,
  type PreparedMember,
  statefulSetOf,
} from "../../../lib/etcd/kubernetes-member.ts";
import type { Bootstrap } from "../../../lib/etcd/runtime/runtime.ts";
import type { KubeObject } from "../../../lib/kube/client.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { programPath } from "../../support/programs.ts";

const prepared: PreparedMember = {
  revision: "r1",
  template: { metadata: { labels: { app: "etcd" } }, spec: { containers: [{ name: "etcd", image: "etcd" }] } },
  claim: {},
};
const bootstrap: Bootstrap = {
  token: "first",
  state: "new",
  initialCluster: "etcd-0=http://127.0.0.1:22096",
  incarnation: 2,
};

const claim = (annotations: Record<string, string> = {}, spec: object = {}): KubeObject => ({
  metadata: { name: "etcd-0-data-2", annotations },
  spec,
});

// Objects as their API has them: whatever field is asked for.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const templateOf = (set: KubeObject): any => set["spec"].template;

describe("the StatefulSet of a member", () => {
  test("has the labels and annotations that are declared, beside those by which it is known", () => {
    const metadata = { labels: { app: "etcd", part: "data" }, annotations: { "example.org/cost": "7" } };
    const declared = { ...prepared, template: { ...prepared.template, metadata } };
    const found = templateOf(statefulSetOf("etcd-0", declared, bootstrap, claim())).metadata;
    expect(found.labels).toEqual({ ...metadata.labels, "karmada-pulumi/member": "etcd-0" });
    expect(found.annotations).toEqual({
      "example.org/cost": "7",
      "karmada-pulumi/revision": "r1",
      [initialClusterNote]: bootstrap.initialCluster,
    });
  });

  test("tells it of its cluster by a note on its pod, which is read at each start of its container", () => {
    const { metadata, spec } = templateOf(statefulSetOf("etcd-0", prepared, bootstrap, claim()));
    expect(metadata.annotations[initialClusterNote]).toBe(bootstrap.initialCluster);
    expect(spec.containers[0].env).toContainEqual({
      name: "ETCD_INITIAL_CLUSTER",
      valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${initialClusterNote}']` } },
    });
  });

  test("is known to be another by the arguments it starts etcd with, as long as it is the prepared one", () => {
    const withArgs = (args: string[], revision = "r1"): PreparedMember => {
      const spec = { containers: [{ name: "etcd", image: "etcd", args }] };
      return { ...prepared, revision, template: { spec } as unknown as KubeObject };
    };
    const wanted = withArgs(["--snapshot-count=1"]);
    const edited = (started: PreparedMember) =>
      isOtherwise(statefulSetOf("etcd-0", started, bootstrap, claim()), wanted);
    expect(edited(wanted)).toBe(false);
    expect(edited(withArgs(["--snapshot-count=2"]))).toBe(true);
    expect(edited(withArgs(["--snapshot-count=2"], "r0"))).toBe(false);
  });

  test("tells it of none once there are data; what it was started with stays known", () => {
    const set = statefulSetOf("etcd-0", prepared, bootstrap, claim({ [notes.begun]: "true" }));
    expect(templateOf(set).metadata.annotations[initialClusterNote]).toBe(begunAlready);
    expect(bootstrapOf(set)).toEqual(bootstrap);
  });

  test("has its data by their claim, and makes the directory of a node by another one", () => {
    const specOf = (of: KubeObject) => templateOf(statefulSetOf("etcd-0", prepared, bootstrap, of)).spec;
    const data = { name: "data", persistentVolumeClaim: { claimName: "etcd-0-data-2" } };
    const ofClass = specOf(claim({}, { volumeName: "pvc-1" }));
    expect([ofClass.volumes, ofClass.containers[0].volumeMounts]).toEqual([[data], []]);
    const onNode = specOf(claim({ [notes.directory]: "/srv/v" }, { volumeName: "v" }));
    expect(onNode.volumes).toEqual([data, { name: "directory", persistentVolumeClaim: { claimName: "v-made" } }]);
    // The kubelet passes over volumes that no container mounts.
    const mount = { name: "directory", mountPath: "/var/lib/etcd-directory", readOnly: true };
    expect(onNode.containers[0].volumeMounts).toEqual([mount]);
  });

  test("of an earlier release has what it was started with in its variables", () => {
    const env = [
      { name: "ETCD_INITIAL_CLUSTER_TOKEN", value: "first" },
      { name: "ETCD_INITIAL_CLUSTER_STATE", value: "new" },
      { name: "ETCD_INITIAL_CLUSTER", value: bootstrap.initialCluster },
      { name: "ETCD_DATA_DIR", value: "/var/lib/etcd/2" },
    ];
    const set = { metadata: { name: "etcd-0" }, spec: { template: { spec: { containers: [{ env }] } } } };
    expect(bootstrapOf(set)).toEqual(bootstrap);
  });
});

/** Ports 22095 and 22096. */
describe("etcd that is told of a cluster only while it has no data", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "guarded-etcd-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const client = "http://127.0.0.1:22095";
  const start = async (initialCluster: string, state: string) => {
    const args = [
      "--name=etcd-0",
      `--data-dir=${join(directory, "2")}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      "--listen-peer-urls=http://127.0.0.1:22096",
      "--initial-advertise-peer-urls=http://127.0.0.1:22096",
    ];
    const env = { ...process.env, ETCD_INITIAL_CLUSTER: initialCluster, ETCD_INITIAL_CLUSTER_STATE: state };
    const child = spawn(await programPath("etcd"), args, { env, stdio: "ignore" });
    const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
    return { child, ended };
  };
  const health = async () => (await fetch(`${client}/health`)).text();
  const serves = () =>
    waitFor("etcd to serve", deadlineIn(20), async () => {
      const text = await health();
      return text.includes('"true"') ? true : new Pending(text);
    });

  test.each(["new", "existing"])(
    "starts again with its data, and never without them (%s)",
    async (state) => {
      const first = await start(bootstrap.initialCluster, "new");
      await serves();
      first.child.kill("SIGKILL");
      await first.ended;
      const second = await start(begunAlready, state);
      await serves();
      second.child.kill("SIGKILL");
      await second.ended;
      rmSync(join(directory, "2"), { recursive: true });
      const third = await start(begunAlready, state);
      expect(await third.ended).toBe(1);
    },
    60_000,
  );
});
