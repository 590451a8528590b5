import type { KubeClient, KubeObject } from "../../../lib/kube/client.ts";
import { watch } from "../../../lib/kube/watch.ts";
import { type Deadline, deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";

/** UIDs of Karmada itself, of its members, of what is propagated, and of the copies in each member. */
export interface Identities {
  readonly karmada: string | undefined;
  readonly clusters: Record<string, string>;
  readonly templates: Record<string, string>;
  readonly copies: Record<string, string>[];
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const clusters = "/apis/cluster.karmada.io/v1alpha1/clusters";
const label = { test: "propagation" };
const labelled = { labelSelector: "test=propagation" };

/** Many ConfigMaps that a Karmada puts into every member. The Karmada may be another one from call to call. */
export class Propagation {
  readonly count: number;
  readonly #names: readonly string[];
  readonly #members: readonly KubeClient[];

  /** @param members by name */
  constructor(count: number, members: Readonly<Record<string, KubeClient>>) {
    this.count = count;
    this.#names = Object.keys(members);
    this.#members = Object.values(members);
  }

  /** Creates them, and returns when every member has its copies. */
  async begin(plane: KubeClient): Promise<void> {
    await plane.apply("/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies/all", {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "PropagationPolicy",
      metadata: { name: "all" },
      spec: {
        resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", labelSelector: { matchLabels: label } }],
        placement: { clusterAffinity: { clusterNames: this.#names } },
      },
    });
    const names = Array.from({ length: this.count }, (_, i) => `kept-${String(i).padStart(3, "0")}`);
    for (let i = 0; i < names.length; i += 20) {
      await Promise.all(names.slice(i, i + 20).map((name) => this.#apply(plane, name)));
    }
    for (const member of this.#members) {
      await waitFor(`${this.count} objects in ${member.server}`, deadlineIn(240), async () => {
        const { length } = await listed(member);
        return length === this.count ? length : new Pending(`${length} are there`);
      });
    }
  }

  /** Propagates one more, and returns when every member has it: Karmada works. @param seconds that each may take */
  async add(plane: KubeClient, name: string, seconds = 60): Promise<void> {
    await this.#apply(plane, name);
    for (const member of this.#members) {
      await waitFor(`${name} in ${member.server}`, deadlineIn(seconds), async () => {
        return (await member.find(`${configMaps}/${name}`)) ?? new Pending("not there");
      });
    }
  }

  /** One more under a policy of its own, which places it in these members. */
  async travel(plane: KubeClient, placement: object, content: string): Promise<void> {
    await plane.apply(`${configMaps}/traveller`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "traveller" },
      data: { of: content },
    });
    await plane.apply("/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies/traveller", {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "PropagationPolicy",
      metadata: { name: "traveller" },
      spec: { resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "traveller" }], placement },
    });
  }

  /** Waits until it is in these members and no others, with this content. @returns the generation of its binding by then */
  async arrived(plane: KubeClient, members: readonly string[], content: string): Promise<number> {
    const binding = "/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/traveller-configmap";
    return waitFor(`the traveller in ${members.join()}`, deadlineIn(90), async () => {
      const found = await Promise.all(this.#members.map((member) => member.find(`${configMaps}/traveller`)));
      const there = found.map((object, i) => `${this.#names[i]} ${object?.["data"]?.of ?? "none"}`);
      const wanted = this.#names.map((name) => `${name} ${members.includes(name) ? content : "none"}`);
      const { metadata, status } = await plane.get(binding);
      const generation = Number(metadata?.["generation" as never]);
      const observed = Number(status?.["schedulerObservedGeneration"]);
      if (there.join() !== wanted.join()) return new Pending(there.join());
      return observed === generation ? generation : new Pending(`generation ${generation}, scheduled ${observed}`);
    });
  }

  /** Of everything but what was added. */
  async identities(plane: KubeClient): Promise<Identities> {
    const { items } = await plane.get<{ items: KubeObject[] }>(clusters);
    return {
      karmada: (await plane.get("/api/v1/namespaces/kube-system")).metadata?.uid,
      clusters: uidsOf(items),
      templates: await keptIn(plane),
      copies: await Promise.all(this.#members.map(keptIn)),
    };
  }

  /** Waits until Karmada has these members and no others, and finds all of them Ready. */
  async ready(plane: KubeClient, deadline: Deadline): Promise<void> {
    await waitFor("all members to be Ready", deadline, async () => {
      const { items } = await plane.get<{ items: KubeObject[] }>(clusters);
      const states = items.map(({ metadata, status }) => {
        const conditions = (status?.conditions ?? []) as { type: string; status: string }[];
        return `${metadata?.name} ${conditions.find(({ type }) => type === "Ready")?.status}`;
      });
      const wanted = this.#names.map((name) => `${name} True`).sort();
      return states.join() === wanted.join() ? states : new Pending(states.join());
    });
  }

  /** Names of copies that are deleted in a member from now on; not one is missed between two watches. */
  watchDeletions(until: Deadline): { deleted: Promise<string[]>; stopWatching: () => void } {
    let over = false;
    const seen: string[] = [];
    const following = this.#members.map(async (member, i) => {
      const list = await member.get<{ metadata: { resourceVersion: string } }>(configMaps, { query: labelled });
      let { resourceVersion } = list.metadata;
      while (!over) {
        const one = deadlineIn(Math.min(5, until.left() / 1000));
        const query = { ...labelled, resourceVersion, allowWatchBookmarks: "true" };
        for await (const { type, object } of watch(member, configMaps, one, query)) {
          if (type === "ERROR")
            throw new Error(`${this.#names[i]}: deletions may be missing: ${JSON.stringify(object)}`);
          if (type === "DELETED") seen.push(`${this.#names[i]}: ${object.metadata?.name}`);
          resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
          if (over) break;
        }
      }
    });
    const deleted = Promise.all(following).then(() => seen);
    deleted.catch(() => undefined); // said to who asks for it
    return { deleted, stopWatching: () => (over = true) };
  }

  #apply(plane: KubeClient, name: string): Promise<KubeObject> {
    return plane.apply(`${configMaps}/${name}`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, labels: label },
      data: { of: name },
    });
  }
}

async function listed(client: KubeClient): Promise<KubeObject[]> {
  return (await client.get<{ items: KubeObject[] }>(configMaps, { query: labelled })).items;
}

const keptIn = async (client: KubeClient): Promise<Record<string, string>> =>
  uidsOf((await listed(client)).filter(({ metadata }) => metadata?.name?.startsWith("kept-")));

const uidsOf = (objects: readonly KubeObject[]): Record<string, string> =>
  Object.fromEntries(objects.map(({ metadata }) => [metadata?.name ?? "", metadata?.uid ?? ""]));
