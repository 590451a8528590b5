import type { KubernetesPlacement } from "../../spec/deployment.ts";
import type { Executable } from "../process.ts";

type Images = Pick<KubernetesPlacement<unknown>["images"], "kubernetes" | "etcd" | "karmada" | "pinned">;

/** The image that holds a program; it is on the PATH there. */
export function imageOf(program: Executable, { pinned, kubernetes, etcd, karmada }: Images): string {
  if ("main" in program) throw new Error(`${program.main}: it needs Node.js, and there is no image of it`);
  if ("installed" in program) throw new Error(`${program.installed}: there is no image of it`);
  const { name, version } = program;
  const prefix = name === "etcd" ? etcd : name.startsWith("kube-") ? kubernetes : karmada;
  return pinned[name] ?? `${prefix}/${name}:v${version}`;
}
