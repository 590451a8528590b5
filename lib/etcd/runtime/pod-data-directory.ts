import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { clusterIdOf } from "../cluster-id.ts";
import {
  broughtFile,
  containers,
  filesCommand,
  filesPodName,
  readingPod,
  restoringPod,
} from "../kubernetes-files-pod.ts";
import { bootstrapOf, claimName, dataPath, labels, notes, ownClaims, podName } from "../kubernetes-member.ts";
import { preparedMember } from "../kubernetes-prepared.ts";
import { ensureClaim } from "../kubernetes-claim.ts";
import type { KubernetesRuntimeAddress } from "./runtime.ts";
import { connect, type KubeClient, type KubeObject } from "../../kube/client.ts";
import { execIn } from "../../kube/exec.ts";
import { namespacedPath } from "../../kube/paths.ts";
import { endOf, whyNotRunning } from "../../kube/pod.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../../wait.ts";
import { type DataDirectory, type FoundData, restoreArguments, restoreSeconds } from "./data-directory.ts";
import { digestOf } from "./snapshot-file.ts";
import type { MemberRestore } from "./member-files.ts";

/**
 * The data of a member in pods: a volume for each incarnation. What there is to know of them is noted on their claims, so that
 * a preview starts nothing to look; a pod that is there for as long as it takes makes data on a new volume.
 */
export class PodDataDirectory implements DataDirectory {
  readonly label: string;
  readonly #address: KubernetesRuntimeAddress;
  readonly #member: string;

  constructor(address: KubernetesRuntimeAddress, member: string) {
    this.#address = address;
    this.#member = member;
    this.label = `${address.namespace}: claims of ${member}`;
  }

  async look(): Promise<FoundData> {
    const client = await this.#client();
    const query = { labelSelector: ownClaims(this.#member) };
    const [{ items }, set] = await Promise.all([
      client.get<{ items: KubeObject[] }>(this.#path("persistentvolumeclaims"), { query }),
      client.find(this.#path("statefulsets", this.#member)),
    ]);
    const begun = set && bootstrapOf(set);
    const claims = items
      .map(({ metadata }) => ({ metadata, number: Number(metadata?.labels?.[labels.incarnation]) }))
      .sort((a, b) => a.number - b.number);
    const marker = claims.findLast(({ metadata }) => metadata?.annotations?.[notes.restore] !== undefined)?.metadata
      ?.annotations?.[notes.restore];
    return {
      ...(marker !== undefined && { marker }),
      incarnations: claims.map(({ number, metadata }) => {
        // An earlier release has noted nothing.
        const first = begun?.state === "new" && begun.incarnation === number ? clusterIdOf(begun) : undefined;
        const clusterId = metadata?.annotations?.[notes.cluster] ?? first;
        const retired = metadata?.labels?.[labels.retired] !== undefined;
        return { number, ...(clusterId !== undefined && { clusterId }), ...(retired && { retired }) };
      }),
    };
  }

  async make(work: MemberRestore, incarnation: number): Promise<string> {
    const client = await this.#client();
    const prepared = await preparedMember(client, this.#address.namespace, this.#member);
    const clusterId = clusterIdOf(work);
    const claim = await ensureClaim(client, this.#address.namespace, this.#member, incarnation, prepared, {
      labels: { [labels.restoring]: "true" },
      annotations: { [notes.cluster]: clusterId },
    });
    const args = restoreArguments(work, broughtFile, `${dataPath}/${incarnation}`);
    await this.#withPod(restoringPod(this.#member, incarnation, prepared, claim, args, longest), async () => {
      await this.#running(client, containers.files, prepared.startSeconds);
      await this.#bring(work.file);
      await this.#succeeded(client, work);
    });
    await work.proved;
    return clusterId;
  }

  /** A claim has data of a member from its marker on. */
  async place(_incarnation: number, marker: string): Promise<void> {
    await this.writeMarker(marker);
  }

  /** On the claim that it is about. */
  async writeMarker(text: string): Promise<void> {
    const { incarnation } = JSON.parse(text) as { incarnation: number };
    const client = await this.#client();
    await client.merge(this.#path("persistentvolumeclaims", claimName(this.#member, incarnation)), {
      metadata: { labels: { [labels.restoring]: null }, annotations: { [notes.restore]: text, [notes.begun]: "true" } },
    });
  }

  async copyDatabase(incarnation: number, to: string): Promise<void> {
    const client = await this.#client();
    const prepared = await preparedMember(client, this.#address.namespace, this.#member);
    const [pod, claim] = await Promise.all([
      client.find(this.#path("pods", podName(this.#member))),
      client.get(this.#path("persistentvolumeclaims", claimName(this.#member, incarnation))),
    ]);
    const node = pod?.["spec"]?.nodeName as string | undefined;
    await this.#withPod(readingPod(this.#member, prepared, claim, longest, node), async () => {
      await this.#running(client, containers.files, prepared.startSeconds);
      await execIn(this.#container, filesCommand("send", `${dataPath}/${incarnation}/member/snap/db`), {
        output: createWriteStream(to, { mode: 0o600 }),
        seconds: restoreSeconds,
      });
    });
  }

  async #withPod(pod: KubeObject, work: () => Promise<void>): Promise<void> {
    const client = await this.#client();
    // One of a run before.
    await this.#remove(client);
    try {
      await client.create(this.#path("pods"), pod);
      await work();
    } catch (error) {
      // Why it failed says more than that its pod is slow to end.
      await this.#remove(client).catch((left: unknown) => console.warn(messageOf(left)));
      throw error;
    }
    await this.#remove(client);
  }

  async #bring(file: string): Promise<void> {
    const [sha256, { size }] = await Promise.all([digestOf(file), stat(file)]);
    await execIn(this.#container, filesCommand("receive", broughtFile, size, sha256), {
      input: createReadStream(file, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>,
      seconds: restoreSeconds,
    });
  }

  /** Waits until a container runs, the first one that does. */
  async #running(client: KubeClient, container: string, seconds = startSeconds): Promise<void> {
    const what = `${filesPodName(this.#member)} to run`;
    await waitFor(what, deadlineIn(seconds), async () => {
      const pod = await client.get(this.#path("pods", filesPodName(this.#member)));
      const { initContainerStatuses = [], containerStatuses = [] } = (pod["status"] ?? {}) as Statuses;
      const status = [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container);
      return status?.state?.["running"] === undefined ? new Pending(whyNotRunning(pod)) : undefined;
    });
  }

  async #succeeded(client: KubeClient, { member }: MemberRestore): Promise<void> {
    const path = this.#path("pods", filesPodName(this.#member));
    const done = await waitFor(`the data of ${member} to be made`, deadlineIn(restoreSeconds), async () => {
      const pod = await client.get(path);
      return endOf(pod, containers.etcdutl) === undefined ? new Pending(whyNotRunning(pod)) : pod;
    });
    if (endOf(done, containers.etcdutl) === "succeeded") return;
    const query = { container: containers.etcdutl, tailLines: "3" };
    const log = await client.get<string>(`${path}/log`, { query }).catch(messageOf);
    throw new Error(`${member}: etcdutl snapshot restore: ${whyNotRunning(done)}\n${log}`.trim());
  }

  async #remove(client: KubeClient): Promise<void> {
    const path = this.#path("pods", filesPodName(this.#member));
    await client.delete(path, { gracePeriodSeconds: 1 });
    await waitFor(`${filesPodName(this.#member)} to be gone`, deadlineIn(goneSeconds), async () =>
      (await client.find(path)) === undefined ? undefined : new Pending("it ends"),
    );
  }

  get #container() {
    const { kubeconfig, namespace } = this.#address;
    return { kubeconfig, namespace, pod: filesPodName(this.#member), container: containers.files };
  }

  #client(): Promise<KubeClient> {
    return connect(this.#address.kubeconfig);
  }

  #path(kind: string, name?: string): string {
    return namespacedPath(this.#address.namespace, kind, name);
  }
}

interface Statuses {
  readonly initContainerStatuses?: readonly Status[];
  readonly containerStatuses?: readonly Status[];
}

interface Status {
  readonly name: string;
  readonly state?: Readonly<Record<string, unknown>>;
}

/** Seconds, for members that an earlier release wrote down: an image may have to be pulled and a volume to be made. */
const startSeconds = 300;
const goneSeconds = 60;
/** Seconds after which a pod that nobody removes ends by itself. */
const longest = 2 * restoreSeconds;
