import type { Bootstrap, MemberRun, MemberRuntime } from "../../lib/etcd/runtime/runtime.ts";
import { TestEtcdRuntime } from "./etcd-runtime.ts";

/** Members of which some move to another host, where nothing is of them; both hosts are directories. */
export class MovedEtcdRuntime implements MemberRuntime {
  readonly #before: TestEtcdRuntime;
  readonly #now: TestEtcdRuntime;
  readonly #moved: readonly string[];

  /** @param moved their names; the others stay where they are */
  constructor(before: string, now: string, moved: readonly string[]) {
    this.#before = new TestEtcdRuntime(before);
    this.#now = new TestEtcdRuntime(now);
    this.#moved = moved;
  }

  observe(member: string): Promise<MemberRun> {
    return this.#at(member).observe(member);
  }

  async start(member: string, bootstrap: Bootstrap): Promise<void> {
    await this.#endWhereItWas(member);
    await this.#at(member).start(member, bootstrap);
  }

  async stop(member: string): Promise<void> {
    await this.#at(member).stop(member);
    await this.#endWhereItWas(member);
  }

  retire(member: string, incarnation: number): Promise<string | undefined> {
    return this.#at(member).retire(member, incarnation);
  }

  log(member: string): Promise<string> {
    return this.#at(member).log(member);
  }

  async #endWhereItWas(member: string): Promise<void> {
    if (this.#moved.includes(member)) await this.#before.stop(member);
  }

  #at(member: string): TestEtcdRuntime {
    return this.#moved.includes(member) ? this.#now : this.#before;
  }
}
