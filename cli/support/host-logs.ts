import { type HostAddress, labelOf } from "../../lib/hosts/address.ts";
import type { Host } from "../../lib/hosts/host.ts";
import { hostAt } from "../../lib/hosts/hosts.ts";
import type { Source } from "./collect.ts";
import { fileName } from "./parts.ts";
import { mostBytes, Tail } from "./tail.ts";

/** Programs of a deployment on a host: the host itself, what systemd says of its units, and their journals. */
export const hostParts = (address: HostAddress, since: number): Source => {
  const path = `hosts/${fileName(address.name)}/`;
  return {
    path,
    seconds: 180,
    read: async (into) => {
      const host = hostAt(address);
      await into.put(`${path}host.txt`, `${labelOf(address)}\n${await host.run("looking at the host", look)}`);
      const units = await unitsOn(host);
      await Promise.all(
        units.map(async (unit) => {
          const file = `${path}${unit.replace(/\.service$/, "")}.log`;
          const text = await journalOf(host, unit, since).catch((error: unknown) => into.lacks(file, error));
          if (text !== undefined && text !== "") await into.put(file, text);
        }),
      );
    },
  };
};

const pattern = "'karmada-*.service'";

/** Nothing of it may fail the rest. */
const look = [
  "date -u +%FT%TZ",
  "uname -a",
  "uptime",
  "cat /etc/os-release /etc/karmada/deployment",
  "free -m",
  "df -h",
  "timedatectl show",
  "systemctl is-system-running",
  `systemctl list-units --all --full --no-pager ${pattern}`,
  `systemctl show --no-pager -p Id,ActiveState,SubState,Result,ExecMainStatus,NRestarts,ActiveEnterTimestamp,MemoryCurrent ${pattern}`,
]
  .map((command) => `echo; echo '$' ${command.replaceAll("'", "")}; ${command} 2>&1 || true`)
  .join("\n");

/** Also those that are not loaded. */
async function unitsOn(host: Host): Promise<string[]> {
  const script = [
    `systemctl list-units --all --full --plain --no-legend --no-pager ${pattern} | awk '{print $1}'`,
    `systemctl list-unit-files --no-legend --no-pager ${pattern} | awk '{print $1}'`,
  ].join("\n");
  const said = await host.run("listing its units", script);
  return [...new Set(said.split("\n").filter((unit) => /^karmada-[\w.-]+\.service$/.test(unit)))].sort();
}

/** With what systemd says of it; the host's clock may not be this machine's. */
async function journalOf(host: Host, unit: string, since: number): Promise<string> {
  let tail = new Tail();
  const script = `journalctl -u ${unit} --since=-${since}s --no-pager -q -o short-iso-precise 2>&1 | tail -c ${mostBytes + 1}`;
  await host.fetch(`reading the log of ${unit}`, script, () => (tail = new Tail()), { seconds: 120 });
  return tail.text;
}
