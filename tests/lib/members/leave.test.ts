import type { KubeClient } from "../../../lib/kube/client.ts";
import { KubeError } from "../../../lib/kube/error.ts";
import { leavePlane, withdraw } from "../../../lib/members/leave.ts";
import { deadlineIn } from "../../../lib/wait.ts";

/** Stands for an API server whose etcd has just lost a member, which no real one can be made to be at a given request. */
class Unsteady {
  readonly calls: string[] = [];
  #cluster = true;

  find = (path: string) => this.#answer("find", path, () => (this.#cluster && /clusters/.test(path) ? {} : undefined));
  delete = (path: string) => this.#answer("delete", path, () => void (this.#cluster = false));

  /** Fails the first time it is asked for something, as an API server does that lost its connection to etcd. */
  async #answer<T>(verb: string, path: string, give: () => T): Promise<T> {
    const call = `${verb} ${path}`;
    const first = !this.calls.includes(call);
    this.calls.push(call);
    if (first) throw new KubeError("DELETE", path, 500, "rpc error: code = Unavailable");
    return give();
  }
}

test("a cluster leaves though the API fails at each request once", async () => {
  const plane = new Unsteady();
  await withdraw(plane as unknown as KubeClient, "paris", deadlineIn(10));
  await leavePlane(plane as unknown as KubeClient, "paris", deadlineIn(10));
  const deleted = plane.calls.filter((call) => call.startsWith("delete")).map((call) => call.split("/").at(-1));
  expect([...new Set(deleted)].sort()).toEqual(["paris", "paris-impersonator"]);
});
