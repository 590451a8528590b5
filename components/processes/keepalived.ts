import { data, file, loopback, port, type Process, type Text, text } from "../process.ts";
import { granted } from "./capabilities.ts";
import { answersPath } from "./haproxy-configuration.ts";
import { haproxyName } from "./haproxy.ts";

/** The component name of every host's keepalived. */
export const keepalivedComponent = "keepalived";

/** From the host's operating system, installed by its package. */
export const keepalivedProgram = { installed: "/usr/sbin/keepalived" } as const;

/** One beside each haproxy; its identity is their host. */
export const keepalivedName = (host: string): string => `${keepalivedComponent}-${host}`;

/** Keys of its files. */
export const keepalivedFiles = { configuration: "keepalived.conf", check: "haproxy-answers" } as const;

/**
 * Keeps the address on one of the hosts where haproxy answers (VRRP, RFC 5798, with unicast peers). Its configuration
 * is given, since it depends on the names of the host's network interfaces.
 */
export function keepalivedProcess(host: string): Process {
  const { configuration, check } = keepalivedFiles;
  return {
    name: keepalivedName(host),
    component: keepalivedComponent,
    program: keepalivedProgram,
    args: [
      "--dont-fork",
      "--vrrp",
      text`--use-file=${file(configuration)}`,
      text`--pid=${data("keepalived.pid")}`,
      text`--vrrp_pid=${data("vrrp.pid")}`,
    ],
    unitSettings: {
      ...granted("CAP_NET_ADMIN", "CAP_NET_RAW"),
      // It announces the owner of the address to other machines itself, in non-IP packets.
      RestrictAddressFamilies: ["AF_INET AF_INET6 AF_UNIX AF_NETLINK AF_PACKET"],
      // It notifies systemd only if it sees that systemd has started it.
      ProtectProc: ["default"],
      // From 2.3 on it ends at once where it cannot make the PID file of its BFD process, which does not run here, in /run
      // (keepalived/core/pidfile.c). The option for another path is there only where BFD was built in.
      TemporaryFileSystem: ["/run:mode=1777"],
      BindReadOnlyPaths: ["/run/systemd"],
      // Before each check it drops groups that it does not have, and would complain every second that it may not.
      SystemCallFilter: ["@system-service", "~setgroups:0"],
    },
    ports: [],
    files: {
      [configuration]: { from: "given" },
      [check]: { from: "text", text: checkScript(haproxyName(host)) },
    },
    certificates: [],
    probe: { kind: "active" },
    startDeadline: "30s",
    stopDeadline: "10s",
  };
}

/**
 * Pure bash: no other client is on every host. It checks twice by itself, since keepalived's own interval is at least a
 * second: the host of a hanging haproxy is left within 2.1 s.
 */
function checkScript(haproxy: string): Text {
  return text`# Whether haproxy answers on this host.
answers() {
  exec 3<>/dev/tcp/${loopback}/${port("http", haproxy)} || return 1
  printf 'GET ${answersPath} HTTP/1.0\\r\\n\\r\\n' >&3
  read -r -t 0.5 answer <&3 && [[ $answer == *' 200 '* ]]
}
answers || answers
`;
}

/** Settings of a host's keepalived. */
export interface KeepalivedConfiguration {
  /** Name of the host. */
  readonly host: string;
  readonly user: string;
  readonly vip: string;
  readonly routerId: number;
  /** All hosts of the load balancer, the initial owner of the address first. */
  readonly hosts: readonly { readonly name: string; readonly address: string }[];
  /** The interfaces of the host's own address and of the shared one. */
  readonly interfaces: { readonly own: string; readonly vip: string };
  /** Path of the check. */
  readonly check: string;
}

/**
 * Version 3 of VRRP, for its sub-second intervals: a host that is gone is missed after three advertisements, 1.5 s. A
 * host that returns does not take the address from its owner (`nopreempt`).
 */
export function keepalivedConfiguration(settings: KeepalivedConfiguration): string {
  const { host, user, vip, routerId, hosts, interfaces, check } = settings;
  const place = hosts.findIndex(({ name }) => name === host);
  const others = hosts.filter(({ name }) => name !== host).map(({ address }) => `        ${address}\n`);
  return `global_defs {
    router_id ${host}
    vrrp_version 3
    script_user ${user}
    # Who missed the first announcement of who has the address hears a later one.
    vrrp_garp_master_refresh 30
}

vrrp_script haproxy_answers {
    script "/bin/bash ${check}"
    interval 1
    timeout 2
    fall 1
    rise 1
    init_fail
}

vrrp_instance karmada {
    state BACKUP
    nopreempt
    interface ${interfaces.own}
    virtual_router_id ${routerId}
    priority ${Math.max(1, firstPriority - 10 * place)}
    advert_int 0.5
    unicast_src_ip ${hosts[place]?.address ?? ""}
    unicast_peer {
${others.join("")}    }
    virtual_ipaddress {
        ${vip}/32 dev ${interfaces.vip}
    }
    track_script {
        haproxy_answers
    }
}
`;
}

/** The highest priority except the one reserved for the address's owner. */
const firstPriority = 254;
