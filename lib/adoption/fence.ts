import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isConflict, KubeError } from "../kube/error.ts";
import { namespacedPath } from "../kube/paths.ts";
import { hasEnded } from "../kube/pod.ts";
import { deadlineIn, Pending, waitFor } from "../wait.ts";
import { podsOf } from "./pod-access.ts";
import { readWorkloads, type Workload } from "./workloads.ts";

/** What a workload or a Service was before it was fenced, as JSON; on the object itself, so that anyone can undo it. */
export const fencedFrom = "karmada-pulumi/fenced-from";

/**
 * Ends the programs of a plane, and lets go of the NodePorts its API server has. etcd keeps running: nobody writes to
 * it any more, a snapshot of it is final, and some of its volumes end with their pod.
 *
 * @returns what was ended and let go of, in words, without what was fenced already
 */
export async function fence(client: KubeClient, namespace: string): Promise<string[]> {
  const workloads = (await readWorkloads(client, namespace)).filter(({ program }) => program !== "etcd");
  await refuseOperator(client, workloads);
  const done: string[] = [];
  // Whoever writes ends first; API servers last.
  for (const workload of workloads.toSorted((a, b) => rank(a) - rank(b))) {
    if (workload.replicas === 0) continue;
    await client.merge(pathOf(namespace, workload), {
      metadata: { annotations: { [fencedFrom]: JSON.stringify({ replicas: workload.replicas }) } },
      spec: { replicas: 0 },
    });
    done.push(`${workload.name}: ${workload.replicas} → 0`);
  }
  for (const service of await servicesOf(client, namespace, workloads)) {
    if (service["spec"]?.type !== "NodePort") continue;
    const { name = "" } = service.metadata ?? {};
    // What belongs to NodePorts goes with them.
    const { type, ports, externalTrafficPolicy } = service["spec"] as Exposed;
    await client.merge(namespacedPath(namespace, "services", name), {
      metadata: { annotations: { [fencedFrom]: JSON.stringify({ type, ports, externalTrafficPolicy }) } },
      spec: { type: "ClusterIP", ports: ports.map(({ nodePort: _, ...port }) => port) },
    });
    done.push(`Service ${name}: lets go of NodePort ${ports.map(({ nodePort }) => nodePort).join(", ")}`);
  }
  await ended(client, namespace, workloads);
  return done;
}

/**
 * Undoes it: everything is as it was before it was fenced.
 *
 * @returns what was brought back, in words
 * @throws when the namespace has no Karmada
 */
export async function unfence(client: KubeClient, namespace: string): Promise<string[]> {
  const workloads = await readWorkloads(client, namespace);
  if (workloads.length === 0)
    throw new Error(
      `namespace ${namespace} of ${client.server}: no program of a Karmada is there, name its namespace with --namespace`,
    );
  const done: string[] = [];
  for (const service of await servicesOf(client, namespace, workloads)) {
    const before = beforeOf<Exposed>(service);
    if (before === undefined) continue;
    const { name = "" } = service.metadata ?? {};
    const ports = before.ports.map(({ nodePort }) => nodePort).join(", ");
    await client
      .merge(namespacedPath(namespace, "services", name), { ...unmarked, spec: before })
      .catch((error: unknown) => {
        if (!(error instanceof KubeError) || (error.status !== 422 && !isConflict(error))) throw error;
        throw new Error(
          `Service ${namespace}/${name}: cannot have NodePort ${ports} back (${error.message}); end what has it now first`,
          { cause: error },
        );
      });
    done.push(`Service ${name}: NodePort ${ports}`);
  }
  for (const workload of workloads.toSorted((a, b) => rank(b) - rank(a))) {
    const before = beforeOf<{ replicas: number }>(workload.object);
    if (before === undefined) continue;
    await client.merge(pathOf(namespace, workload), { ...unmarked, spec: before });
    done.push(`${workload.name}: 0 → ${before.replicas}`);
  }
  return done;
}

interface Exposed {
  readonly type: string;
  readonly ports: readonly Port[];
  readonly externalTrafficPolicy?: string;
}

interface Port {
  readonly nodePort?: number;
  readonly [field: string]: unknown;
}

const unmarked = { metadata: { annotations: { [fencedFrom]: null } } };

const pathOf = (namespace: string, { kind, name }: Workload): string => namespacedPath(namespace, kind, name);

const rank = ({ program }: Workload): number => (program === "kube-apiserver" ? 1 : 0);

function beforeOf<T>({ metadata }: KubeObject): T | undefined {
  const text = metadata?.annotations?.[fencedFrom];
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** Those that lead to the API servers. */
async function servicesOf(
  client: KubeClient,
  namespace: string,
  workloads: readonly Workload[],
): Promise<KubeObject[]> {
  const { items } = await client.get<{ items: KubeObject[] }>(namespacedPath(namespace, "services"));
  const labels = workloads
    .filter(({ program }) => program === "kube-apiserver")
    .map(({ object }) => (object["spec"]?.template?.metadata?.labels ?? {}) as Record<string, string>);
  return items.filter(({ spec }) => {
    const wanted = Object.entries((spec?.selector ?? {}) as Record<string, string>);
    return wanted.length > 0 && labels.some((each) => wanted.every(([key, value]) => each[key] === value));
  });
}

/** The operator would restart what is ended here. */
async function refuseOperator(client: KubeClient, workloads: readonly Workload[]): Promise<void> {
  const isIts = workloads.some(
    ({ object }) => object.metadata?.labels?.["app.kubernetes.io/managed-by"] === "karmada-operator",
  );
  if (!isIts) return;
  const { items } = await client.get<{ items: KubeObject[] }>("/apis/apps/v1/deployments");
  const running = items.find(({ spec }) => {
    const containers = (spec?.template?.spec?.containers ?? []) as { image?: string }[];
    return Number(spec?.replicas ?? 1) > 0 && containers.some(({ image = "" }) => /\/karmada-operator[:@]/.test(image));
  });
  if (running === undefined) return;
  const { namespace, name } = running.metadata ?? {};
  throw new Error(
    `${namespace}/${name}: karmada-operator runs, and would start again what is ended: kubectl --namespace ${namespace} scale deployment ${name} --replicas=0`,
  );
}

async function ended(client: KubeClient, namespace: string, workloads: readonly Workload[]): Promise<void> {
  await waitFor(`the programs in ${namespace} to end`, deadlineIn(120), async () => {
    const found = await Promise.all(workloads.map((workload) => client.find(pathOf(namespace, workload))));
    const wanted = found.filter((object) => Number(object?.["status"]?.replicas ?? 0) > 0);
    // Pods that are terminating do not count as replicas, and may still write.
    const pods = await Promise.all(workloads.map((workload) => podsOf(client, namespace, workload)));
    const left = [...wanted, ...pods.flat().filter((pod) => !hasEnded(pod))];
    return left.length === 0
      ? undefined
      : new Pending(`${left.map((each) => each?.metadata?.name).join(", ")} still run`);
  });
}
