import type { HostAddress } from "../../../lib/hosts/address.ts";
import { provider } from "../../../providers/host-process-impl.ts";

/** Inputs of a process on a host that does nothing, as they are declared; it is called `idle` unless it is to be otherwise. */
export const declaredIdle = (host: object, change: object = {}) => ({
  ...{ host, name: "idle", component: "idle", program: "/usr/bin/sleep", programSha256: "", args: ["infinity"] },
  ...{ env: {}, contents: {}, probe: { kind: "active" }, notifies: false },
  ...{ startSeconds: 20, stopSeconds: 5, ...change },
});

/** The same as the check of its provider gives them. */
export async function idleProcess(host: HostAddress, change: object = {}) {
  const { inputs } = await provider.check({}, declaredIdle(host, change));
  return inputs;
}
