import type { EtcdRuntimeAddress } from "../etcd/runtime/runtime.ts";
import { labelOf, type HostAddress } from "../hosts/address.ts";
import { hostAt } from "../hosts/hosts.ts";
import { hostProcessPaths } from "../hosts/layout.ts";
import { Unreachable } from "../hosts/transport.ts";
import { listProcesses, restartProcess } from "../supervisor/client.ts";
import { allTheSame, restartPods } from "./restart-pods.ts";

/**
 * Restarts programs of a deployment, one after another, so that they read again what they read only once; those that do
 * not run are left alone. All requests that arrive during a restart share the next one.
 */
export function restartPrograms(address: EtcdRuntimeAddress, programs: readonly string[]): Promise<void> {
  const key = JSON.stringify([address, programs]);
  const waiting = next.get(key);
  if (waiting !== undefined) return waiting;
  const turn = (running.get(key) ?? Promise.resolve()).then(() => {
    next.delete(key);
    const now = restart(address, programs);
    running.set(
      key,
      now.catch(() => {}), // reported to the caller
    );
    return now;
  });
  next.set(key, turn);
  return turn;
}

/** A restart that has not begun yet serves all callers. */
const next = new Map<string, Promise<void>>();
const running = new Map<string, Promise<void>>();

async function restart(address: EtcdRuntimeAddress, programs: readonly string[]): Promise<void> {
  switch (address.kind) {
    case "local":
      return restartSupervised(address.directory, programs);
    case "hosts":
      return restartOnHosts(address.hosts, programs);
    case "kubernetes":
      return restartPods(address.kubeconfig, address.namespace, programs);
  }
}

async function restartSupervised(directory: string, programs: readonly string[]): Promise<void> {
  const there = (await listProcesses(directory)) ?? [];
  for (const name of programs) {
    const found = there.find(({ description }) => description.name === name);
    if (found !== undefined) await restartProcess(directory, name, found.description.stopSeconds);
  }
}

/**
 * Which hosts have a program only they know. The next program's turn comes when this one listens again where it did
 * before, or its time is up.
 */
async function restartOnHosts(hosts: readonly HostAddress[], programs: readonly string[]): Promise<void> {
  for (const name of programs) {
    const script = restartScript(hostProcessPaths(name));
    await Promise.all(
      hosts.map(async (host) => {
        try {
          const late = await hostAt(host).run(`restarting ${name}`, script, { seconds: 60 + 2 * listenSeconds });
          if (late !== "") console.log(`warning: ${labelOf(host)}: ${name} ${late.trim()}; ${allTheSame}`);
        } catch (error) {
          if (!(error instanceof Unreachable)) throw error;
          console.log(
            `warning: ${labelOf(host)}: cannot be reached: ${error.reason}\nrestarting ${name} there is left out`,
          );
        }
      }),
    );
  }
}

/** Finds a program's sockets with ss(8); without it there is no wait. */
const restartScript = ({ unit, unitFile }: ReturnType<typeof hostProcessPaths>): string => `
if [ ! -f ${unitFile} ]; then exit 0; fi
listens() { ss -Hltnp | grep "pid=$(systemctl show -p MainPID --value ${unit})," | awk '{print $4}' | sort; }
before=$(listens)
systemctl try-restart ${unit}
for _ in $(seq ${listenSeconds * 5}); do
  if [ "$(listens)" = "$before" ]; then exit 0; fi
  sleep 0.2
done
echo "does not listen where it did before it was started again"`;

/** How long a program may take to listen again, not counting the time to look. */
const listenSeconds = 20;
