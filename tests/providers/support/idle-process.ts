import type { HostAddress } from "../../../lib/hosts/address.ts";
import { provider } from "../../../providers/host-process-impl.ts";

/**
 * Inputs of a process on a host that does nothing, as the check of its provider gives them.
 *
 * @param change of them @default none
 */
export async function idleProcess(host: HostAddress, change: object = {}) {
  const { inputs } = await provider.check(
    {},
    {
      ...{ host, name: "idle", component: "idle", program: "/usr/bin/sleep", programSha256: "", args: ["infinity"] },
      ...{ env: {}, contents: {}, probe: { kind: "active" }, notifies: false },
      ...{ startSeconds: 20, stopSeconds: 5, ...change },
    },
  );
  return inputs;
}
