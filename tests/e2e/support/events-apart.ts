import type { EtcdAccess } from "../../../components/etcd-access.ts";
import { keysBelow } from "./keys-in-etcd.ts";
import type { Kubectl } from "./kubectl.ts";
import type { TestStack } from "./stack.ts";
import { takeInto } from "./take-snapshot.ts";

interface EtcdState {
  readonly clusterId: string;
  readonly members: readonly { readonly name: string; readonly healthy: boolean }[];
  readonly overrides: { readonly events: EtcdState };
}

interface Outputs {
  readonly kubeconfig: string;
  readonly etcd: EtcdState;
  readonly etcdAccess: EtcdAccess;
  readonly backups: { readonly lastSuccess?: string; readonly problem?: string };
}

/** A stack whose events are in an etcd of their own. */
export class EventsApart {
  readonly #stack: TestStack;
  /** As of the last `up`. */
  outputs!: Outputs;

  constructor(stack: TestStack) {
    this.#stack = stack;
  }

  /** Declares it. @param first settings of the etcd that has all else */
  declare(events: object, first: object = {}): void {
    const overrides = [{ name: "events", resources: ["/events"], ...events }];
    this.#stack.config["etcd"] = { kind: "managed", ...first, overrides };
  }

  pulumi(...args: string[]) {
    return this.#stack.successfully(args, { timeoutSeconds: 900 });
  }

  /** @returns each of its members, and whether it is healthy */
  async up(): Promise<[string, boolean][]> {
    await this.pulumi("up", "--yes", "--skip-preview");
    this.outputs = await this.#stack.outputs<Outputs>();
    return this.outputs.etcd.overrides.events.members.map(({ name, healthy }) => [name, healthy]);
  }

  async unchanged(): Promise<void> {
    await this.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }

  /** Where its members are come to. */
  get endpoints(): readonly string[] {
    return this.outputs.etcdAccess.parts.find(({ name }) => name === "events")!.endpoints;
  }

  /** Events, as `<namespace>/<name>`, that a member of any etcd has, for each. */
  async in(endpoints: readonly string[]): Promise<string[][]> {
    return Promise.all(endpoints.map((endpoint) => keysBelow(this.outputs.etcdAccess, endpoint, "events")));
  }

  /**
   * Takes a snapshot into a directory, has an event and a ConfigMap come after it, both called `late`, and restores it.
   *
   * @returns what {@link up} does
   */
  async goBack(directory: string, kubectl: Kubectl, events: object, first: object = {}): Promise<[string, boolean][]> {
    const { clusterId, overrides } = this.outputs.etcd;
    await takeInto(directory, this.outputs.etcdAccess);
    await noteEvent(kubectl, "late");
    await kubectl(["create", "configmap", "late"]);
    const restore = {
      ...{ generation: 1, replaceClusterId: clusterId, overrides: { events: overrides.events.clusterId } },
      ...{ overwriteHealthy: true, source: { kind: "snapshot", target: { kind: "local", directory } } },
    };
    this.declare(events, { ...first, restore });
    const members = await this.up();
    expect(this.outputs.etcd.clusterId).not.toBe(clusterId);
    expect(this.outputs.etcd.overrides.events.clusterId).not.toBe(overrides.events.clusterId);
    await expect(kubectl(["get", "configmap", "late"])).rejects.toThrow("not found");
    for (const keys of await this.in(this.endpoints)) expect(keys).not.toContain("default/late");
    return members;
  }
}

export const noteEvent = (kubectl: Kubectl, name: string): Promise<string> =>
  kubectl(
    ["create", "-f", "-"],
    JSON.stringify({
      ...{ apiVersion: "v1", kind: "Event", metadata: { name, namespace: "default" } },
      ...{ involvedObject: { namespace: "default" }, reason: "Tested", message: name, type: "Normal" },
    }),
  );
