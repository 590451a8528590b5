import type { Deployment, KubernetesPlacement } from "../../spec/deployment.ts";
import { planFleet } from "../fleet.ts";
import type { Executable, ToolchainProgram } from "../process.ts";
import { controlPlaneProcesses } from "../processes/control-plane.ts";
import { externalEtcd, managedEtcd } from "../processes/etcd-cluster.ts";

type Images = Pick<KubernetesPlacement<unknown>["images"], "kubernetes" | "etcd" | "karmada" | "pinned">;

/** The image that holds a program; it is on the PATH there. */
export function imageOf(program: Executable, { pinned, kubernetes, etcd, karmada }: Images): string {
  if ("main" in program) throw new Error(`${program.main}: it needs Node.js, and there is no image of it`);
  if ("installed" in program) throw new Error(`${program.installed}: there is no image of it`);
  const { name, version } = program;
  const prefix = name === "etcd" ? etcd : name.startsWith("kube-") ? kubernetes : karmada;
  return pinned[name] ?? `${prefix}/${name}:v${version}`;
}

/** An image and the program it is for. */
export interface ProgramImage {
  readonly program: string;
  readonly version: string;
  readonly image: string;
}

/** What images follow from. */
export type Imaged = Pick<Deployment, "versions" | "etcd" | "pki" | "controlPlane" | "members">;

/** The images of all pods of a deployment, each program once, in the order they start. */
export function imagesOf({ etcd, images, ...deployment }: Imaged & { readonly images: Images }): ProgramImage[] {
  const { members, connection } =
    etcd.kind === "managed"
      ? managedEtcd({ ...etcd, version: deployment.versions.etcd })
      : { members: [], connection: externalEtcd(etcd) };
  const { agents, estimators } = planFleet(deployment);
  const processes = [
    ...members,
    ...Object.values(controlPlaneProcesses(deployment, connection, true)).flat(),
    ...estimators.values(),
    ...agents.values(),
  ];
  const programs = new Map(
    processes.map(({ program }) => program as ToolchainProgram).map((each) => [each.name, each]),
  );
  return [...programs.values()].map((program) => ({
    program: program.name,
    version: program.version,
    image: imageOf(program, images),
  }));
}
