import { Pending, waitFor, type Deadline } from "../../wait.ts";
import type { EtcdClient } from "../client.ts";
import type { EtcdMember } from "../member.ts";
import { hexId } from "../hex-id.ts";
import { agreedMembers, type MemberList } from "../questions.ts";

type Entry = NonNullable<MemberList["members"]>[number];

/**
 * Changes of a cluster, through its voters. None of these calls may be repeated merely because the answer is missing:
 * each attempt first looks at the member list, and asks only for what it does not show.
 */
export class ClusterCalls {
  readonly #client: EtcdClient;
  readonly #endpoints: readonly string[];
  #turn = 0;

  /** @param members whose healthy voters are asked; leave out one that is to be removed */
  constructor(client: EtcdClient, members: readonly EtcdMember[]) {
    this.#client = client;
    this.#endpoints = members.flatMap(({ learner, healthy, endpoint }) => (!learner && healthy && endpoint) || []);
  }

  /** Adds a learner. After another change etcd refuses for about 5 s, until it has heard from every member. */
  async add(peerUrl: string, deadline: Deadline): Promise<void> {
    const at = (entry: Entry) => entry.peerURLs?.includes(peerUrl) ?? false;
    await this.#until(`etcd to accept a learner at ${peerUrl}`, deadline, async (list) => {
      const entry = list.find(at);
      if (entry?.isLearner) return undefined;
      if (entry !== undefined) throw new Voter(`${peerUrl}: is on the list as a voter, not as a learner`);
      return ["cluster/member/add", { peerURLs: [peerUrl], isLearner: true }];
    });
  }

  async promote(id: string, deadline: Deadline): Promise<void> {
    await this.#until(`etcd to make ${id} a voter`, deadline, async (list) => {
      const entry = list.find(({ ID }) => hexId(ID) === id);
      if (entry === undefined) throw new Error("it is not on the list any more");
      return entry.isLearner ? ["cluster/member/promote", { ID: entry.ID }] : undefined;
    });
  }

  async remove(id: string, deadline: Deadline): Promise<void> {
    await this.#until(`etcd to remove ${id}`, deadline, async (list) => {
      const entry = list.find(({ ID }) => hexId(ID) === id);
      return entry && ["cluster/member/remove", { ID: entry.ID }];
    });
  }

  /** Tells the members at which URL they find a voter; never a learner: etcd would make it a voter. */
  async readdress(id: string, peerUrl: string, deadline: Deadline): Promise<void> {
    await this.#until(`etcd to take up ${peerUrl}`, deadline, async (list) => {
      const entry = list.find(({ ID }) => hexId(ID) === id);
      if (entry === undefined || entry.isLearner) throw new Error(`${id} is not a voter`);
      if (entry.peerURLs?.join() === peerUrl) return undefined;
      return ["cluster/member/update", { ID: entry.ID, peerURLs: [peerUrl] }];
    });
  }

  /** Looks at the list and makes the call that is missing, until none is. */
  async #until(
    what: string,
    deadline: Deadline,
    missing: (list: readonly Entry[]) => Promise<[method: string, body: object] | undefined>,
  ): Promise<void> {
    const attempt = async () => {
      const endpoint = this.#endpoints[this.#turn % this.#endpoints.length];
      if (endpoint === undefined) throw new Error("no healthy voter to ask");
      try {
        const { members = [] } = await agreedMembers(this.#client, endpoint, 3000);
        const call = await missing(members);
        if (call === undefined) return undefined;
        // The server gives up after 7 s; the list will show the outcome.
        await this.#client.call(endpoint, call[0], call[1], 8000);
      } catch (error) {
        this.#turn++;
        throw error;
      }
      return new Pending("it was accepted, and the list does not show it");
    };
    await waitFor(what, deadline, attempt, { fatal: (error) => error instanceof Voter, interval: 20 });
  }
}

/** A member that votes does not run: a retry is pointless. */
class Voter extends Error {}
