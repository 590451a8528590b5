import { programText } from "../own-bundle.ts";
import type { KubeObject } from "../kube/client.ts";
import { dataOf, dataPath, dataVolume, type PreparedMember } from "./kubernetes-member.ts";

/** Containers of pods that work on the files of a member. */
export const containers = { files: "files", etcdutl: "etcdutl" } as const;

/** Where a snapshot lies in the pod that makes data of it. */
export const broughtFile = "/brought/snapshot.db";

/** How a pod's program for files is run (lib/etcd/runtime/in-pod/main.ts). */
export const filesCommand = (...args: readonly (string | number)[]): string[] => [
  "node",
  "--input-type=module",
  "-e",
  (program ??= programText("lib/etcd/runtime/in-pod/main.ts")),
  "--",
  ...args.map(String),
];
let program: string | undefined;

/**
 * A pod that makes the data of an incarnation: it is sent the snapshot, and etcdutl of the member's own image turns it
 * into data on their volume. It runs where the member would, and apart from other pods like it.
 */
export function restoringPod(
  member: string,
  incarnation: number,
  prepared: PreparedMember,
  claim: KubeObject,
  args: readonly string[],
  seconds: number,
): KubeObject {
  const data = `${dataPath}/${incarnation}`;
  const brought = { name: "brought", mountPath: "/brought" };
  const mounted = { name: dataVolume, mountPath: dataPath };
  const { volumes, beside } = dataOf(claim);
  const mounts = [mounted, brought, ...beside];
  return podBeside(member, prepared, {
    activeDeadlineSeconds: seconds,
    initContainers: [filesContainer(member, prepared, ["await", broughtFile, data, seconds], mounts)],
    containers: [
      {
        ...ofMember(prepared),
        name: containers.etcdutl,
        command: ["etcdutl"],
        args: [...args],
        volumeMounts: [mounted, { ...brought, readOnly: true }],
      },
    ],
    volumes: [{ name: "brought", emptyDir: {} }, ...volumes],
  });
}

/** A pod that can read the data of an incarnation, on the node that has them if one is known. */
export function readingPod(
  member: string,
  prepared: PreparedMember,
  claim: KubeObject,
  seconds: number,
  node: string | undefined,
): KubeObject {
  const mounted = { name: dataVolume, mountPath: dataPath, readOnly: true };
  const { volumes, beside } = dataOf(claim);
  return podBeside(member, prepared, {
    activeDeadlineSeconds: seconds,
    containers: [filesContainer(member, prepared, ["hold", seconds], [mounted, ...beside])],
    volumes,
    ...(node !== undefined && { nodeName: node }),
  });
}

export const filesPodName = (member: string): string => `${member}-files`;

interface Work {
  readonly activeDeadlineSeconds: number;
  readonly nodeName?: string;
  readonly initContainers?: readonly object[];
  readonly containers: readonly object[];
  readonly volumes: readonly object[];
}

/**
 * With the user, the nodes, the annotations and the pull secrets of a member, but under other labels, so that nobody
 * reaches it as that member.
 */
function podBeside(member: string, { template }: PreparedMember, work: Work): KubeObject {
  const spec = template["spec"] as Record<string, unknown>;
  const { labels = {}, annotations } = template.metadata ?? {};
  const kind = labels[kindLabel] ?? "";
  const ours = `${kind}-files`;
  const { affinity, topologySpreadConstraints, containers: _, volumes: __, ...same } = spec;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: filesPodName(member),
      labels: { ...labels, [kindLabel]: ours, [nameLabel]: filesPodName(member) },
      ...(annotations !== undefined && { annotations }),
    },
    spec: {
      ...same,
      ...amongThemselves({ affinity, topologySpreadConstraints }, kind, ours),
      restartPolicy: "Never",
      ...work,
    },
  };
}

/** What such pods have of a kind and of a name (https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/). */
const [kindLabel, nameLabel] = ["app.kubernetes.io/name", "app.kubernetes.io/instance"];

/**
 * They keep apart from each other as members do, so that members find their volumes on different nodes; members that
 * run do not matter.
 */
function amongThemselves(rules: Readonly<Record<string, unknown>>, kind: string, ours: string): object {
  const label = (name: string) => JSON.stringify({ [kindLabel]: name }).slice(1, -1);
  return JSON.parse(JSON.stringify(rules).replaceAll(label(kind), label(ours))) as object;
}

function filesContainer(
  member: string,
  prepared: PreparedMember,
  args: readonly (string | number)[],
  volumeMounts: readonly object[],
): object {
  const { node } = prepared;
  if (node === undefined) {
    throw new Error(
      `${member}: an earlier release has written it down, without an image that moves files\nrun up for the deployment first`,
    );
  }
  return { ...ofMember(prepared), name: containers.files, image: node, command: filesCommand(...args), volumeMounts };
}

/** What every container of a member has. */
function ofMember({ template }: PreparedMember): Record<string, unknown> {
  const { containers: members } = template["spec"] as { containers: readonly Record<string, unknown>[] };
  const { image, imagePullPolicy, securityContext, resources } = members[0] ?? {};
  return { image, imagePullPolicy, securityContext, ...(resources !== undefined && { resources }) };
}
