import type { Deployment, KubernetesPlacement } from "../../spec/deployment.ts";
import type { EtcdProgram } from "../../spec/etcd-program.ts";
import { planFleet } from "../fleet.ts";
import type { Executable, Process, ToolchainProgram } from "../process.ts";
import { controlPlaneProcesses } from "../processes/control-plane.ts";
import type { EtcdConnection } from "../processes/etcd-client.ts";
import { etcdBackupProcess } from "../processes/etcd-backup.ts";
import { externalEtcd, managedEtcd } from "../processes/etcd-cluster.ts";

/** Where images come from, from the stack file. */
export type Images = Pick<
  KubernetesPlacement<unknown>["images"],
  "kubernetes" | "etcd" | "karmada" | "node" | "pinned"
>;

/** The image that holds a program, or what runs it, on its PATH. */
export function imageOf(program: Executable, { pinned, kubernetes, etcd, karmada, node }: Images): string {
  if ("main" in program) return node;
  if ("installed" in program) throw new Error(`${program.installed}: there is no image of it`);
  const { name } = program;
  const prefix = name === "etcd" ? etcd : name.startsWith("kube-") ? kubernetes : karmada;
  return imageFrom(prefix, program, pinned);
}

/** The image of a program of upstream's, unless it is pinned. */
export const imageFrom = (
  prefix: string,
  { name, version }: ToolchainProgram,
  pinned: Readonly<Record<string, string | undefined>>,
): string => pinned[name] ?? `${prefix}/${name}:v${version}`;

/** An image and the program it is for. */
export interface ProgramImage {
  readonly program: string;
  readonly version: string;
  readonly image: string;
}

/** What determines the images. */
export type Imaged = Pick<
  Deployment,
  "versions" | "etcd" | "pki" | "controlPlane" | "members" | "teamMembers" | "snapshots"
>;

/**
 * The images of all pods of a deployment: in its host cluster each program once, in the order they start; then in members.
 *
 * @param images undefined where the control plane is not in pods
 */
export function imagesOf({ images, ...deployment }: Imaged & { readonly images: Images | undefined }): ProgramImage[] {
  const inMembers = deployment.members.flatMap(({ name, agent }) => {
    const program = planFleet(deployment).agentsInMembers.get(name)?.program as ToolchainProgram | undefined;
    if (program === undefined || agent.kind !== "inMember") return [];
    const image = imageFrom(agent.images.karmada, program, agent.images.pinned);
    return [{ program: program.name, version: program.version, image }];
  });
  const all = [...(images === undefined ? [] : inHostCluster({ images, ...deployment })), ...inMembers];
  return all.filter((each, i) => all.findIndex(({ image }) => image === each.image) === i);
}

function inHostCluster({
  etcd,
  images,
  snapshots,
  ...deployment
}: Imaged & { readonly images: Images }): ProgramImage[] {
  const { members, connection } =
    etcd.kind === "managed"
      ? managedEtcd({ ...etcd, version: deployment.versions.etcd })
      : { members: [], connection: externalEtcd(etcd) };
  const { agents, estimators } = planFleet(deployment);
  const processes = [
    ...members,
    ...Object.values(controlPlaneProcesses(deployment, connection, { copies: true })).flat(),
    ...estimators.values(),
    ...agents.values(),
  ];
  return imagesWithTools({ etcd, images, snapshots, versions: deployment.versions }, connection, processes);
}

/** What determines the images of an etcd by itself. */
export type ImagedEtcd = Pick<EtcdProgram, "versions" | "etcd" | "snapshots"> & { readonly images: Images };

/** The images of all pods of an etcd by itself. */
export function imagesOfEtcd(deployment: ImagedEtcd): ProgramImage[] {
  const { members, connection } = managedEtcd({ ...deployment.etcd, version: deployment.versions.etcd });
  return imagesWithTools(deployment, connection, members);
}

/** Those of processes, and of what takes snapshots and restores them. */
function imagesWithTools(
  { etcd, images, snapshots, versions }: Omit<ImagedEtcd, "etcd"> & Pick<Imaged, "etcd">,
  connection: EtcdConnection,
  processes: readonly Process[],
): ProgramImage[] {
  const scheduled = snapshots.schedule === undefined ? undefined : etcdBackupProcess(connection, versions.etcd);
  const tools = (scheduled?.runs ?? []).filter(({ name }) => name === "etcd");
  const programs = new Map(
    [...processes.map(({ program }) => program as ToolchainProgram), ...tools].map((each) => [each.name, each]),
  );
  // Restores use it too.
  const isUsed = etcd.kind === "managed" || scheduled !== undefined;
  const ours = isUsed ? [{ program: "node", version: "22 or later", image: images.node }] : [];
  return [
    ...[...programs.values()].map((program) => ({
      program: program.name,
      version: program.version,
      image: imageOf(program, images),
    })),
    ...ours,
  ];
}
