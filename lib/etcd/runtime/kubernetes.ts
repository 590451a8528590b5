import { connect, type KubeClient, type KubeObject } from "../../kube/client.ts";
import { isNotFound } from "../../kube/error.ts";
import { forgetPod } from "../../kube/lost-pod.ts";
import { namespacedPath } from "../../kube/paths.ts";
import { isLost, isRunning, whyNotRunning } from "../../kube/pod.ts";
import { FilesIn } from "./files-in.ts";
import type { MemberFiles } from "./member-files.ts";
import { PodDataDirectory } from "./pod-data-directory.ts";
import { haltDeployments, resumeDeployments } from "./pod-programs.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../../wait.ts";
import { clusterIdOf } from "../cluster-id.ts";
import { refuseUnlessAdmitted } from "../kubernetes-admission.ts";
import { ensureClaim } from "../kubernetes-claim.ts";
import { isEdited } from "../kubernetes-edited.ts";
import {
  begunAlready,
  bootstrapOf,
  claimName,
  etcdContainer,
  initialClusterNote,
  labels,
  notes,
  ownClaims,
  podName,
  statefulSetOf,
} from "../kubernetes-member.ts";
import { whyNoPod } from "../kubernetes-no-pod.ts";
import { refuseWithoutNode } from "../kubernetes-nodes.ts";
import { findPrepared, preparedMember } from "../kubernetes-prepared.ts";
import { linesToRead } from "../log-lines.ts";
import type { Bootstrap, EtcdRuntime, FormerMembers, KubernetesRuntimeAddress, MemberRun } from "./runtime.ts";

/**
 * Members that a host cluster keeps running, each as a StatefulSet of one pod. The data of each incarnation have a
 * claim of their own; retired ones are marked.
 */
export class KubernetesEtcdRuntime implements EtcdRuntime {
  readonly #address: KubernetesRuntimeAddress;

  constructor(address: KubernetesRuntimeAddress) {
    this.#address = address;
  }

  async observe(member: string): Promise<MemberRun> {
    const client = await this.#client();
    const selector = { labelSelector: `${ownClaims(member)},!${labels.retired}` };
    const [prepared, set, pod, claims] = await Promise.all([
      findPrepared(client, this.#address.namespace, member),
      client.find(this.#path("statefulsets", member)),
      client.find(this.#path("pods", podName(member))),
      client.get<{ items: KubeObject[] }>(this.#path("persistentvolumeclaims"), { query: selector }),
    ]);
    const revision = isRunning(pod, etcdContainer) ? pod?.metadata?.annotations?.[labels.revision] : undefined;
    const bootstrap = set && bootstrapOf(set);
    const edited =
      prepared !== undefined &&
      (set === undefined || (await isEdited(client, this.#path("statefulsets", member), set, prepared)));
    return {
      running: revision !== undefined,
      // An edited member has no revision, nor has a pod orphaned by its StatefulSet: nothing keeps it running.
      ...(revision !== undefined && !edited && { revision }),
      ...(prepared !== undefined && { prepared: prepared.revision }),
      ...(bootstrap !== undefined && { bootstrap }),
      ...(prepared?.clientUrl !== undefined && { clientUrl: prepared.clientUrl }),
      incarnations: claims.items
        .map(({ metadata }) => Number(metadata?.labels?.[labels.incarnation]))
        .sort((a, b) => a - b),
    };
  }

  async start(member: string, bootstrap: Bootstrap): Promise<void> {
    const client = await this.#client();
    const prepared = await preparedMember(client, this.#address.namespace, member);
    const claim = this.#path("persistentvolumeclaims", claimName(member, bootstrap.incarnation));
    const before = await client.find(this.#path("pods", podName(member)));
    if (isRunning(before, etcdContainer)) {
      await refuseWithoutNode(client, this.#address.namespace, member, prepared, (await client.find(claim)) ?? {});
    }
    await this.#removeHalfMade(client, claim);
    await ensureClaim(client, this.#address.namespace, member, bootstrap.incarnation, prepared);
    const noted = await this.#noteCluster(client, claim, bootstrap);
    const former = await client.find(this.#path("statefulsets", member));
    const wanted = statefulSetOf(member, prepared, bootstrap, noted);
    if (isRunning(before, etcdContainer)) await refuseUnlessAdmitted(client, this.#address.namespace, member, wanted);
    const set = await client.apply(this.#path("statefulsets", member), wanted);
    if (before !== undefined) {
      // Otherwise the pod might come back as it was.
      await this.#observed(client, member, Number(set.metadata?.["generation" as never]));
      await this.#deletePod(client, member, before);
    }
    const isOther = former !== undefined && bootstrapOf(former)?.incarnation !== bootstrap.incarnation;
    await this.#runs(client, member, prepared.startSeconds ?? runSeconds, before?.metadata?.uid, isOther);
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
      if (pod !== undefined && isLost(pod)) await forgetPod(client, member, pod);
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

  async settle(member: string): Promise<void> {
    const client = await this.#client();
    const set = await client.find(this.#path("statefulsets", member));
    const bootstrap = set && bootstrapOf(set);
    const template = set?.["spec"]?.template?.metadata as KubeObject["metadata"];
    const armed = template?.annotations?.[initialClusterNote];
    // An earlier release started it, or there is nothing to do.
    if (bootstrap === undefined || armed === undefined || armed === begunAlready) return;
    const metadata = { annotations: { [initialClusterNote]: begunAlready } };
    await client.merge(this.#path("pods", podName(member)), { metadata });
    await client.merge(this.#path("statefulsets", member), { spec: { template: { metadata } } });
    await client.merge(this.#path("persistentvolumeclaims", claimName(member, bootstrap.incarnation)), {
      metadata: { annotations: { [notes.begun]: "true" } },
    });
  }

  async log(member: string): Promise<string> {
    const client = await this.#client();
    const pod = this.#path("pods", podName(member));
    try {
      const query = { container: etcdContainer, tailLines: String(linesToRead) };
      const text = await client.get<string>(`${pod}/log`, { query });
      return text.includes(refused) ? `${text.trimEnd()}\n${member}: its volume has no data any more` : text;
    } catch (error) {
      const found = await client.find(pod);
      return found === undefined ? `there is no pod: ${messageOf(error)}` : whyNotRunning(found);
    }
  }

  files(member: string): MemberFiles {
    return new FilesIn(new PodDataDirectory(this.#address, member));
  }

  async former(names: readonly string[], declared: readonly string[]): Promise<FormerMembers> {
    const client = await this.#client();
    const query = { labelSelector: labels.member };
    const lists = await Promise.all(
      ["statefulsets", "persistentvolumeclaims"].map((kind) =>
        client.get<{ items: KubeObject[] }>(this.#path(kind), { query }),
      ),
    );
    const there = new Set(lists.flatMap(({ items }) => items.map(({ metadata }) => metadata?.labels?.[labels.member])));
    const left = names.filter((name) => there.has(name) && !declared.includes(name));
    return { members: left.map((name) => ({ name, label: name, at: this })), unseen: [] };
  }

  async halt(programs: readonly string[]): Promise<void> {
    await haltDeployments(await this.#client(), this.#address.namespace, programs);
  }

  async resume(programs: readonly string[]): Promise<void> {
    await resumeDeployments(await this.#client(), this.#address.namespace, programs);
  }

  /** An abandoned restore may have left a claim of this number, with some data. */
  async #removeHalfMade(client: KubeClient, claim: string): Promise<void> {
    await waitFor("the volume of a restore that was given up to be gone", deadlineIn(goneSeconds), async () => {
      const { metadata } = (await client.find(claim)) ?? {};
      if (metadata?.labels?.[labels.restoring] === undefined) return undefined;
      if (metadata.deletionTimestamp === undefined) await client.delete(claim);
      return new Pending("it is still there");
    });
  }

  /**
   * A member that joins a cluster has its token from those that are in it.
   * @returns the claim
   */
  async #noteCluster(client: KubeClient, claim: string, bootstrap: Bootstrap): Promise<KubeObject> {
    const cluster = bootstrap.state === "new" ? clusterIdOf(bootstrap) : await this.#clusterOf(client, bootstrap.token);
    const annotations = { ...(cluster !== undefined && { [notes.cluster]: cluster }), [notes.token]: bootstrap.token };
    return client.merge(claim, { metadata: { annotations } });
  }

  async #clusterOf(client: KubeClient, token: string): Promise<string | undefined> {
    const { items } = await client.get<{ items: KubeObject[] }>(this.#path("persistentvolumeclaims"));
    const noted = items.map(({ metadata }) => metadata?.annotations ?? {});
    return noted.find((each) => each[notes.token] === token && each[notes.cluster] !== undefined)?.[notes.cluster];
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

  /**
   * Waits until the process exists, whether or not it serves.
   *
   * @param before UID of the pod whose place it takes
   * @param isOther whether that pod has data of its own: two programs never share them
   */
  async #runs(client: KubeClient, member: string, seconds: number, before?: string, isOther = false): Promise<void> {
    await waitFor(`${member} to run`, deadlineIn(seconds), async () => {
      const pod = await client.find(this.#path("pods", podName(member)));
      if (pod === undefined) return new Pending(await whyNoPod(client, this.#address.namespace, member));
      if (pod.metadata?.uid === before) {
        if (isOther && isLost(pod)) await forgetPod(client, member, pod);
        return new Pending("its previous pod is still there");
      }
      return isRunning(pod, etcdContainer) ? undefined : new Pending(whyNotRunning(pod));
    });
  }

  #client(): Promise<KubeClient> {
    return connect(this.#address.kubeconfig);
  }

  #path(kind: string, name?: string): string {
    return namespacedPath(this.#address.namespace, kind, name);
  }
}

/** What etcd logs when it finds neither data nor a cluster ({@link begunAlready}). */
const refused = "couldn't find local name";

/** Used where an earlier release noted no time: an image may have to be pulled first. */
const runSeconds = 180;
/** A pod gets 30 s to end, and counts as lost a minute later. */
const goneSeconds = 120;
