import { EtcdError, permissionDenied } from "../client.ts";
import type { MemberList, Status } from "../questions.ts";
import { DirectEtcdClient } from "./client.ts";

/**
 * A {@link DirectEtcdClient} for an etcd user who may not be root: what etcd hides from such a user about a member's
 * state is left out, and the rest is found out by requests that everybody may make.
 */
export class ModestEtcdClient extends DirectEtcdClient {
  override async call<T>(endpoint: string, method: string, body: object, timeout = 3000): Promise<T> {
    try {
      return await super.call<T>(endpoint, method, body, timeout);
    } catch (error) {
      const denied = error instanceof EtcdError && error.code === permissionDenied;
      if (method !== "maintenance/status" || !denied) throw error;
      return (await this.#knownToAll(endpoint, timeout)) as T;
    }
  }

  async #knownToAll(endpoint: string, timeout: number): Promise<Status> {
    const list = await this.call<MemberList>(endpoint, "cluster/member/list", {}, timeout).catch((error: Error) => {
      if (/not supported for learner/.test(error.message)) return undefined;
      throw error;
    });
    if (list === undefined) return { header: {}, isLearner: true };
    const { etcdserver: version } = JSON.parse(await this.page(endpoint, "/version", timeout)) as {
      etcdserver: string;
    };
    const hasLeader = await this.page(
      endpoint,
      "/health?serializable=true&exclude=NOSPACE&exclude=CORRUPT",
      timeout,
    ).then(
      () => true,
      () => false,
    );
    return { header: list.header, version, ...(hasLeader && { leader: "0" }) };
  }
}
