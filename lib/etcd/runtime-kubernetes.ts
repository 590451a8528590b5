import { connect, type KubeClient, type KubeObject } from "../kube/client.ts";
import { isNotFound } from "../kube/error.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../wait.ts";
import { readBootstrapVariables } from "./bootstrap-variables.ts";
import {
  claimName,
  claimOf,
  labels,
  podName,
  type PreparedMember,
  preparedName,
  statefulSetOf,
} from "./kubernetes-member.ts";
import type { Bootstrap, KubernetesRuntimeAddress, MemberRun, MemberRuntime } from "./runtime.ts";

/**
 * Members that a host cluster keeps running, each as a StatefulSet of one pod. The data of each incarnation have a claim of
 * their own; those out of the way are marked.
 */
export class KubernetesEtcdRuntime implements MemberRuntime {
  readonly #address: KubernetesRuntimeAddress;

  constructor(address: KubernetesRuntimeAddress) {
    this.#address = address;
  }

  async observe(member: string): Promise<MemberRun> {
    const client = await this.#client();
    const selector = { labelSelector: `${labels.member}=${member},!${labels.retired}` };
    const [prepared, set, pod, claims] = await Promise.all([
      client.find(this.#path("configmaps", preparedName(member))),
      client.find(this.#path("statefulsets", member)),
      client.find(this.#path("pods", podName(member))),
      client.get<{ items: KubeObject[] }>(this.#path("persistentvolumeclaims"), { query: selector }),
    ]);
    const revision = isRunning(pod) ? pod?.metadata?.annotations?.[labels.revision] : undefined;
    const bootstrap = set && bootstrapOf(set);
    const written = prepared?.["data"]?.revision as string | undefined;
    return {
      running: revision !== undefined,
      ...(revision !== undefined && { revision }),
      ...(written !== undefined && { prepared: written }),
      ...(bootstrap !== undefined && { bootstrap }),
      incarnations: claims.items
        .map(({ metadata }) => Number(metadata?.labels?.[labels.incarnation]))
        .sort((a, b) => a - b),
    };
  }

  async start(member: string, bootstrap: Bootstrap): Promise<void> {
    const client = await this.#client();
    const prepared = await this.#prepared(client, member);
    const claim = this.#path("persistentvolumeclaims", claimName(member, bootstrap.incarnation));
    if ((await client.find(claim)) === undefined)
      await client.apply(claim, claimOf(member, bootstrap.incarnation, prepared));
    const before = await client.find(this.#path("pods", podName(member)));
    const set = await client.apply(this.#path("statefulsets", member), statefulSetOf(member, prepared, bootstrap));
    if (before !== undefined) {
      // Else the pod might come back as it was.
      await this.#observed(client, member, Number(set.metadata?.["generation" as never]));
      await this.#deletePod(client, member, before);
    }
    await this.#runs(client, member, before?.metadata?.uid);
  }

  async stop(member: string): Promise<void> {
    const client = await this.#client();
    try {
      await client.merge(this.#path("statefulsets", member), { spec: { replicas: 0 } });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    await waitFor(`the pod of ${member} to be gone`, deadlineIn(goneSeconds), async () => {
      const pod = await client.find(this.#path("pods", podName(member)));
      return pod === undefined ? undefined : new Pending("it ends");
    });
  }

  async retire(member: string, incarnation: number): Promise<string | undefined> {
    const client = await this.#client();
    const name = claimName(member, incarnation);
    const claim = await client.find(this.#path("persistentvolumeclaims", name));
    if (claim === undefined) return undefined;
    await client.merge(this.#path("persistentvolumeclaims", name), {
      metadata: { labels: { [labels.retired]: "true" } },
    });
    return name;
  }

  async log(member: string): Promise<string> {
    const client = await this.#client();
    const pod = this.#path("pods", podName(member));
    try {
      return await client.get<string>(`${pod}/log`, { query: { tailLines: "20" } });
    } catch (error) {
      const found = await client.find(pod);
      return found === undefined ? `there is no pod: ${messageOf(error)}` : whyNotRunning(found);
    }
  }

  async #prepared(client: KubeClient, member: string): Promise<PreparedMember> {
    const object = await client.find(this.#path("configmaps", preparedName(member)));
    const { namespace } = this.#address;
    if (object === undefined) throw new Error(`${member}: starting it: it is not prepared in namespace ${namespace}`);
    const { revision, member: text } = object["data"] as { revision: string; member: string };
    return { revision, ...(JSON.parse(text) as Omit<PreparedMember, "revision">) };
  }

  async #observed(client: KubeClient, member: string, generation: number): Promise<void> {
    await waitFor(`${member}'s StatefulSet to be looked at`, deadlineIn(runSeconds), async () => {
      const set = await client.get(this.#path("statefulsets", member));
      return Number(set["status"]?.observedGeneration ?? 0) >= generation ? undefined : new Pending("not yet");
    });
  }

  async #deletePod(client: KubeClient, member: string, { metadata }: KubeObject): Promise<void> {
    await client.delete(this.#path("pods", podName(member)), { preconditions: { uid: metadata?.uid } });
  }

  /** Waits until there is a process, whether or not it serves. */
  async #runs(client: KubeClient, member: string, before: string | undefined): Promise<void> {
    await waitFor(`${member} to run`, deadlineIn(runSeconds), async () => {
      const pod = await client.find(this.#path("pods", podName(member)));
      if (pod === undefined) return new Pending("it has no pod yet");
      if (pod.metadata?.uid === before) return new Pending("its pod of before is still there");
      return isRunning(pod) ? undefined : new Pending(whyNotRunning(pod));
    });
  }

  #client(): Promise<KubeClient> {
    return connect(this.#address.kubeconfig);
  }

  #path(kind: string, name?: string): string {
    const group = kind === "statefulsets" ? "/apis/apps/v1" : "/api/v1";
    return `${group}/namespaces/${this.#address.namespace}/${kind}${name === undefined ? "" : `/${name}`}`;
  }
}

/** An image may have to be pulled first. */
const runSeconds = 180;
const goneSeconds = 60;

/** Whether its process is kept running: one that has ended is started again by the kubelet, after 10 s and more. */
export function isRunning(pod: KubeObject | undefined): boolean {
  const [status] = (pod?.["status"]?.containerStatuses ?? []) as KubeObject[];
  const { running, terminated } = (status?.["state"] ?? {}) as Record<string, unknown>;
  const hasRun = running !== undefined || terminated !== undefined || Number(status?.["restartCount"] ?? 0) > 0;
  return pod?.metadata?.deletionTimestamp === undefined && hasRun;
}

function whyNotRunning({ status }: KubeObject): string {
  const [container] = (status?.containerStatuses ?? []) as KubeObject[];
  const state = container?.["state"]?.waiting ?? container?.["state"]?.terminated;
  const unmet = ((status?.conditions ?? []) as KubeObject[]).find(
    (each) => each["status"] !== "True" && each["message"],
  );
  return [status?.phase, state?.reason, state?.message, unmet?.["message"]].filter(Boolean).join(": ");
}

function bootstrapOf(set: KubeObject): Bootstrap | undefined {
  const env = (set["spec"]?.template?.spec?.containers?.[0]?.env ?? []) as { name: string; value?: string }[];
  return readBootstrapVariables(Object.fromEntries(env.map(({ name, value = "" }) => [name, value])));
}
