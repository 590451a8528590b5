import type { EtcdRuntimeAddress } from "../etcd/runtime.ts";
import { objectName } from "../host-cluster/object-name.ts";
import { labelOf, type HostAddress } from "../hosts/address.ts";
import { hostAt } from "../hosts/hosts.ts";
import { hostProcessPaths } from "../hosts/layout.ts";
import { Unreachable } from "../hosts/transport.ts";
import { connect } from "../kube/client.ts";
import { listProcesses, restartProcess } from "../supervisor/client.ts";

/**
 * Starts programs of a deployment again, one after another, so that they read anew what they have read once; those that do
 * not run are left alone. Who asks while others are being served is served with all who ask meanwhile, by one restart.
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
      now.catch(() => {}), // theirs who asked for it
    );
    return now;
  });
  next.set(key, turn);
  return turn;
}

/** What has not begun yet serves everybody who asks. */
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

/** Each is on one host, of which only that host knows. */
async function restartOnHosts(hosts: readonly HostAddress[], programs: readonly string[]): Promise<void> {
  for (const name of programs) {
    const { unit, unitFile } = hostProcessPaths(name);
    const script = `if [ -f ${unitFile} ]; then systemctl try-restart ${unit}; fi`;
    await Promise.all(
      hosts.map(async (host) => {
        try {
          await hostAt(host).run(`restarting ${name}`, script, { seconds: 60 });
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

/** What keeps them running makes new ones. */
async function restartPods(kubeconfig: string, namespace: string, programs: readonly string[]): Promise<void> {
  const client = await connect(kubeconfig);
  const query = { labelSelector: `app.kubernetes.io/instance in (${programs.map(objectName).join(",")})` };
  await client.request("DELETE", `/api/v1/namespaces/${namespace}/pods`, { query });
}
