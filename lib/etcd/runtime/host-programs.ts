import { labelOf, type HostAddress } from "../../hosts/address.ts";
import { hostAt } from "../../hosts/hosts.ts";
import { hostProcessPaths } from "../../hosts/layout.ts";
import { Unreachable } from "../../hosts/transport.ts";

/** Where it is noted down what was halted; a host that starts anew has forgotten it, and starts everything. */
const noted = "/run/karmada-halted";

/**
 * Ends programs wherever they are. They have nothing to put in order: what they know is about to be wrong. On a host that
 * cannot be reached they go on, if it has power: their watches are then told that what they follow is no more.
 */
export async function haltOnHosts(hosts: readonly HostAddress[], programs: readonly string[]): Promise<void> {
  const script = programs.map((name) => {
    const { unit, unitFile } = hostProcessPaths(name);
    return [
      // One that is starting, or waits to be started again, would run while the data are exchanged.
      `if [ -f ${unitFile} ] && ! systemctl is-active ${unit} | grep -qxE 'inactive|failed'; then`,
      `  mkdir -p ${noted}`,
      `  : >${noted}/${name}`,
      `  { timeout ${stopSeconds} systemctl stop ${unit} || systemctl kill -s KILL ${unit}; } 2>/dev/null || true`,
      `  systemctl stop ${unit}`,
      `fi`,
    ].join("\n");
  });
  await onEach(hosts, "ending programs", script);
}

/** Starts again what was halted and nobody has started since. */
export async function resumeOnHosts(hosts: readonly HostAddress[], programs: readonly string[]): Promise<void> {
  for (const name of programs) {
    const start = [
      `[ -e ${noted}/${name} ] || return 0`,
      `systemctl start --no-block ${hostProcessPaths(name).unit}`,
      `rm -f ${noted}/${name}`,
    ];
    await onEach(hosts, `starting ${name}`, start);
  }
}

const stopSeconds = 2;

async function onEach(hosts: readonly HostAddress[], what: string, script: readonly string[]): Promise<void> {
  await Promise.all(
    hosts.map(async (host) => {
      try {
        await hostAt(host).run(what, script.join("\n"), { seconds: 60 + stopSeconds * script.length });
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        console.log(`warning: ${labelOf(host)}: cannot be reached: ${error.reason}\n${what} there is left out`);
      }
    }),
  );
}
