import { hostAt } from "../../lib/hosts/hosts.ts";
import type { LabHost } from "./nspawn-lab.ts";

/** All that a deployment could leave behind on a host: files, accounts, units, ports, addresses, firewall rules, sysctls. */
export const fingerprintOf = (host: LabHost): Promise<string> =>
  hostAt(host.address).run(
    "comparing it",
    `find /etc /opt /usr /var/lib /srv -xdev ! -name '*-' ! -path '/var/lib/systemd/*' ! -path '/etc/.pwd.lock' -printf '%p %m %u %g\\n' | sort
     cat /etc/passwd /etc/group /etc/shadow /etc/gshadow
     systemctl list-unit-files --no-legend | sort
     ss -Hltn | awk '{print $4}' | sort
     ip -o -4 addr show | awk '{print $2, $4}'
     nft list ruleset
     sysctl -a 2>/dev/null | grep '^net\\.ipv[46]\\.'`,
  );
