import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { bundledProgram, programText } from "../../lib/own-bundle.ts";
import { dataPath } from "../../lib/etcd/kubernetes-member.ts";
import { programKey } from "../../lib/kube/program-object.ts";
import { PodProgram } from "../../providers/pod-program.ts";
import type { Process } from "../process.ts";
import { imageOf, type Images } from "./kubernetes-images.ts";
import type { Home } from "./kubernetes-objects.ts";
import { podSpec, type ResolvedPod } from "./kubernetes-pod.ts";

type PodSpec = types.input.core.v1.PodSpec;

/** Where a program of ours finds the tools it runs. */
export const toolsPath = "/tools";

/** Name of the ConfigMap that holds the program of a process. */
const programName = ({ name }: Pick<Process, "name">): string => `${name}-program`;

/** The ConfigMap with the program of a process, if it is one of ours. */
export function programOf(
  { name, namespace }: Home,
  kubeconfig: pulumi.Output<string>,
  process: Process,
  { provider: _, ...opts }: pulumi.CustomResourceOptions,
): pulumi.Resource[] {
  if (!("main" in process.program)) return [];
  const { main } = process.program;
  const args = { kubeconfig, namespace, name: programName(process), main, sha256: bundledProgram(main).file.sha256 };
  return [new PodProgram(`${name}-${programName(process)}`, args, opts)];
}

/**
 * A pod for a program of ours: Node.js of an image, the program from its ConfigMap, a directory that lasts as long as
 * the pod, and etcd's image in a second, idle container, for the programs in it.
 */
export function ownPodSpec(pod: Omit<ResolvedPod, "command">, images: Images): PodSpec {
  const { process } = pod;
  const tools = (process.runs ?? []).map(({ name }) => name).join(",");
  const starter = programText("lib/pod-start/main.ts");
  const program = `/program/${programKey}`;
  const args = ["--input-type=module", "-e", starter, "--", program, tools, toolsPath, ...pod.args];
  const spec = podSpec({ ...pod, command: "node", args });
  const [own] = spec.containers as types.input.core.v1.Container[];
  const mounts = [
    { name: "program", mountPath: "/program", readOnly: true },
    { name: "tools", mountPath: toolsPath },
    { name: "state", mountPath: dataPath },
  ];
  const container = { ...own, volumeMounts: [...((own?.volumeMounts ?? []) as object[]), ...mounts] };
  return {
    ...spec,
    ...(tools !== "" && { shareProcessNamespace: true }),
    containers: [container, ...(tools === "" ? [] : [idle(process, own, images)])] as types.input.core.v1.Container[],
    volumes: [
      ...((spec.volumes ?? []) as types.input.core.v1.Volume[]),
      { name: "program", configMap: { name: programName(process) } },
      { name: "tools", emptyDir: {} },
      { name: "state", emptyDir: {} },
    ],
  };
}

/**
 * etcd's own gateway, with neither clients nor backends: it waits, and takes a few megabytes. If the program beside it
 * has limits it has some too: a quota may refuse a pod because of one container without.
 */
function idle(
  { runs = [] }: Process,
  own: types.input.core.v1.Container | undefined,
  images: Images,
): types.input.core.v1.Container {
  const version = runs[0]?.version ?? "";
  return {
    name: "tools",
    image: imageOf({ name: "etcd", version }, images),
    command: ["etcd"],
    args: ["gateway", "start", "--listen-addr=127.0.0.1:0", "--endpoints=127.0.0.1:9", "--retry-delay=24h"],
    ...(own?.imagePullPolicy !== undefined && { imagePullPolicy: own.imagePullPolicy }),
    ...(own?.resources !== undefined && { resources: { limits: idleAmounts, requests: idleAmounts } }),
    ...(own?.securityContext !== undefined && { securityContext: own.securityContext }),
  };
}

/** It was seen to use a third of that memory, and no CPU time. */
const idleAmounts = { cpu: "50m", memory: "64Mi" };
