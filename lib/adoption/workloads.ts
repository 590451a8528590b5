import { componentNames } from "../../spec/control-plane/component-names.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { namespacedPath } from "../kube/paths.ts";

/** The programs a Karmada in pods is made of, by upstream's names. An agent is not one: it runs in its member. */
const programs = ["etcd", ...componentNames, "karmada-scheduler-estimator"] as const;

export type ProgramName = (typeof programs)[number];

export const estimator = "karmada-scheduler-estimator" satisfies ProgramName;

/** Pods of one program, as an installer declared them. */
export interface Workload {
  readonly kind: "deployments" | "statefulsets";
  readonly name: string;
  readonly program: ProgramName;
  /** For instance `docker.io/karmada/karmada-scheduler:v1.18.2`. */
  readonly image: string;
  readonly replicas: number;
  /** Its command line, without the dashes; a flag without a value has "", one that is repeated its last. */
  readonly flags: Readonly<Record<string, string>>;
  /** Every value of each flag, in their order, without the dashes; a flag without a value has "". */
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly object: KubeObject;
}

/**
 * Every program of a Karmada in a namespace, recognised by what its pods execute, since names differ between
 * installers.
 */
export async function readWorkloads(client: KubeClient, namespace: string): Promise<Workload[]> {
  const lists = (["deployments", "statefulsets"] as const).map(async (kind) => {
    const { items } = await client.get<{ items: KubeObject[] }>(namespacedPath(namespace, kind));
    return items.flatMap((object) => workloadOf(kind, object));
  });
  return (await Promise.all(lists)).flat();
}

/** At most one: the first of its containers that runs such a program. */
export function workloadOf(kind: Workload["kind"], object: KubeObject): Workload[] {
  for (const container of containersOf(object)) {
    const program = programOf(container);
    if (program === undefined) continue;
    const { name = "" } = object.metadata ?? {};
    const replicas = Number(object["spec"]?.replicas ?? 1);
    const values = valuesOf(container);
    const flags = Object.fromEntries(Object.entries(values).map(([flag, all]) => [flag, all.at(-1)!]));
    return [{ kind, name, program, image: container.image ?? "", replicas, flags, values, object }];
  }
  return [];
}

/** The Secret that a path in a workload's container comes from, and its key there. */
export function secretAt({ object, program }: Workload, path: string): { name: string; key: string } | undefined {
  const container = containersOf(object).find((each) => programOf(each) === program);
  const mounts = (container?.volumeMounts ?? []).toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  const mount = mounts.find(
    ({ mountPath }) => path === mountPath || path.startsWith(`${mountPath.replace(/\/$/, "")}/`),
  );
  if (mount === undefined) return undefined;
  const volumes = (object["spec"]?.template?.spec?.volumes ?? []) as Volume[];
  const secret = volumes.find(({ name }) => name === mount.name)?.secret;
  if (secret?.secretName === undefined) return undefined;
  const below = path.slice(mount.mountPath.replace(/\/$/, "").length + 1);
  const file = mount.subPath === undefined ? below : [mount.subPath, below].filter((part) => part !== "").join("/");
  const key = secret.items?.find((item) => item.path === file)?.key ?? file;
  return { name: secret.secretName, key };
}

interface Container {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
}

interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName?: string; readonly items?: readonly { key: string; path: string }[] };
}

const containersOf = ({ spec }: KubeObject): Container[] => (spec?.template?.spec?.containers ?? []) as Container[];

function programOf({ command, image = "" }: Container): ProgramName | undefined {
  const executed = command?.[0]?.split("/").at(-1);
  const pulled = /([^/:@]+)(:[^/]*)?(@.*)?$/.exec(image)?.[1];
  return programs.find((each) => each === executed) ?? programs.find((each) => each === pulled);
}

/** `--name=value`, and `--name value`. */
function valuesOf({ command = [], args = [] }: Container): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  const words = [...command.slice(1), ...args].flatMap((word) => word.split("\n"));
  words.forEach((word, i) => {
    const [, name, value] = /^--?([a-z][-\w]*)(?:=([^]*))?$/.exec(word.trim()) ?? [];
    if (name === undefined) return;
    const next = words[i + 1];
    (values[name] ??= []).push(value ?? (next === undefined || next.startsWith("-") ? "" : next));
  });
  return values;
}
