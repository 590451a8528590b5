import { z } from "zod";
import { fieldNotes, type SecretText, secret, text, whole, words } from "../field.ts";
import { hookOnHosts } from "../hooks.ts";
import { ipv4, reached, server } from "../values/address.ts";
import { name } from "../values/name.ts";
import { type LoadBalancer, loadBalancer, resolveLoadBalancer } from "./load-balancer.ts";

/** The keys of a host to log in to. */
export const hostKey = text(
  /^(\S+ )?(SHA256:[A-Za-z0-9+/]{43}(?![A-Za-z0-9+/=])|(ssh|ecdsa|sk)-\S+ AAAA\S+)/m,
  'a line of known_hosts, or a fingerprint such as "SHA256:..." (ssh-keyscan shows the first, ssh-keygen -l the second)',
).describe("The keys the host may show, one a line, as in known_hosts or as fingerprints. No other key is accepted.");

const login = {
  user: words("the name of a user")
    .optional()
    .describe("Who logs in; one that is not root needs sudo without a password. Default: `root`."),
  port: whole(1, 65535).optional().describe("Port of the SSH server. Default: 22."),
  privateKey: secret("a private key as text").optional().describe("Private key to log in with, as text."),
  passphrase: secret("a passphrase").optional().describe("Passphrase of the private key."),
  password: secret("a password").optional().describe("Password to log in with."),
  agent: text(/^(\/.+|SSH_AUTH_SOCK)$/, 'the path of a socket such as "/run/user/1000/agent", or "SSH_AUTH_SOCK"')
    .optional()
    .describe("Socket of an SSH agent on this machine; `SSH_AUTH_SOCK`: that of the session `pulumi` is run in."),
};

const jump = z.strictObject({
  address: reached.describe("Its IP address or DNS name."),
  hostKey,
  ...login,
  // As everything of a login, see loginOf.
  user: login.user.describe(
    "Who logs in there. Default: as in placement.ssh, or for a member's `credentials` as on its host.",
  ),
  port: login.port.describe(
    "Port of its SSH server. Default: as in placement.ssh, or for a member's `credentials` as of its host.",
  ),
});

/** How to log in, and through what. */
export const common = {
  ...login,
  through: z.array(jump).optional().describe("Hosts to go through, the nearest first. Default: none."),
};

/** Words of letters, digits and `_.-`: nothing that a shell, a unit or etcd would take for something else. */
const dataDirectory = text(
  /^(?!\/(dev|etc|home|opt\/karmada|proc|root|run|sys|tmp|usr|var\/lib\/karmada|var\/tmp)(\/|$))(\/\w[\w.-]*)+$/,
  'an absolute path without spaces, such as "/mnt/etcd"; not below /etc, /home, /root, /run, /tmp, /usr, /opt/karmada or /var/lib/karmada',
);

const host = z.strictObject({
  name: name.describe("What you call it; part of the names of its resources."),
  address: ipv4.describe("Address by which the other hosts, and this machine, reach it. Changing it is another host."),
  ssh: z
    .strictObject({ hostKey, ...common })
    .optional()
    .describe("How to log in: what is not said here is as in placement.ssh. Default: it is this machine itself."),
  etcd: text(/^(etcd-[0-6]|none)$/, "a name from etcd-0 to etcd-6, or none")
    .optional()
    .describe("The member of etcd that is there. Default: etcd-0 on the first host of the list, and so on."),
  etcdDirectory: dataDirectory
    .optional()
    .describe(
      "Directory on this host, on a disk of its own for instance, in which the member of etcd has its data below its name. It must be there. Changing it moves nothing: `up` says how. Default: `/var/lib/karmada`.",
    ),
  controlPlane: z.boolean().default(true).describe("Whether the programs of the control plane run there."),
  zone: words("the name of a zone")
    .optional()
    .describe(
      "What it is lost together with, such as a rack or a data centre. A zone without which etcd would have no quorum is warned of. Default: it is lost by itself.",
    ),
});

export const hosts = z.strictObject({
  kind: z.literal("hosts").describe("Every program is a systemd service on hosts that are reached by SSH."),
  ssh: z.strictObject(common).prefault({}).describe("What the logins on all hosts have in common."),
  hosts: z.array(host).min(1).describe("The hosts. A deployment has them to itself."),
  components: z
    .record(
      z.string().register(fieldNotes, { want: "the name of a component" }),
      z.array(words("the name of a host")).min(1),
    )
    .default({})
    .describe(
      "Hosts of single components, by upstream's name: one replica on each instead of on every control-plane host. For `karmada-agent` and `karmada-scheduler-estimator`, of which each member has one, and `etcd-backup`: those that may run it. `etcd-events` names one for each member of the `etcd.overrides` of that name, in their order. A component that moves starts there, then ends where it was.",
    ),
  etcdIo: z
    .strictObject({
      class: z
        .enum(["best-effort", "realtime"])
        .default("best-effort")
        .describe("Scheduling class: `realtime` goes before everybody else on the host."),
      priority: whole(0, 7).default(0).describe("Priority in the class; 0 is the highest."),
    })
    .prefault({})
    .describe("Disk priority of members of etcd (ioprio_set(2)). Changing it restarts them one by one."),
  loadBalancer,
  mirror: z
    .strictObject({
      url: server("https://mirror.example.org/karmada", { scheme: "https?", end: "(\\/[^\\s?#]*)?" }).describe(
        "Its address: a directory as an unpacked bundle has it (`npm run toolchain -- --bundle`).",
      ),
      ca: text(/-----BEGIN CERTIFICATE-----/, "a certificate in PEM form")
        .optional()
        .describe(
          "Authority that signed its certificate, in PEM form. Default: those of each host's operating system.",
        ),
    })
    .optional()
    .describe(
      "From where hosts download programs themselves, by their curl or GNU wget, each byte compared with what this machine has. Default: this machine sends them.",
    ),
  hooks: z
    .array(hookOnHosts)
    .default([])
    .describe("Scripts of your own, before and after phases of an `up`, by `@pulumi/command`: run on hosts, as root."),
});

export type TypedHosts = z.output<typeof hosts>;

/** How a host is reached, everything filled in. */
export type HostLogin =
  | ({ readonly kind: "ssh"; readonly through: readonly SshLogin[] } & SshLogin)
  | { readonly kind: "local"; readonly address: string };

export interface SshLogin {
  readonly address: string;
  readonly hostKey: string;
  readonly user: string;
  readonly port: number;
  readonly privateKey?: SecretText;
  readonly passphrase?: SecretText;
  readonly password?: SecretText;
  readonly agent?: string;
}

/** A placement on hosts as the layers above work with it. */
export interface HostsPlacement {
  readonly kind: "hosts";
  readonly hosts: readonly {
    readonly name: string;
    readonly login: HostLogin;
    /** The member of etcd on it, if there is one of that name. */
    readonly etcd?: string;
    /** Directory of its member's data. @default the same as for every program */
    readonly etcdDirectory?: string;
    readonly controlPlane: boolean;
    readonly zone?: string;
  }[];
  readonly etcdIo: TypedHosts["etcdIo"];
  /** Names of the hosts of components that are not with the others. */
  readonly components: Readonly<Record<string, readonly string[]>>;
  readonly loadBalancer: LoadBalancer;
  /** From where hosts download programs themselves. @default this machine sends them */
  readonly mirror?: { readonly url: string; readonly ca?: string | undefined };
  readonly hooks: TypedHosts["hooks"];
}

export function resolveHosts({
  hosts,
  ssh: shared,
  components,
  etcdIo,
  loadBalancer,
  hooks,
  mirror,
}: TypedHosts): HostsPlacement {
  return {
    kind: "hosts",
    hooks,
    etcdIo,
    components,
    loadBalancer: resolveLoadBalancer(loadBalancer, hosts),
    ...(mirror !== undefined && { mirror }),
    hosts: hosts.map(({ name, address, ssh, controlPlane, etcd, etcdDirectory, zone }, i) => ({
      name,
      controlPlane,
      ...(etcdDirectory !== undefined && { etcdDirectory }),
      ...(zone !== undefined && { zone }),
      ...memberOn(etcd, i),
      login:
        ssh === undefined
          ? { kind: "local", address }
          : ({ kind: "ssh", ...loginOf(address, shared, ssh) } as HostLogin),
    })),
  };
}

/** The member of etcd that belongs to a host of the list, whether or not it exists. */
export function memberOn(typed: string | undefined, i: number): { readonly etcd?: string } {
  if (typed === "none" || (typed === undefined && i > 6)) return {};
  return { etcd: typed ?? `etcd-${i}` };
}

/**
 * What is missing or superfluous in a login; undefined when it can be tried. @param where a login may be given, for
 * messages
 */
export function loginProblem(
  { privateKey, password, agent, passphrase }: Pick<TypedHosts["ssh"], keyof typeof login>,
  where: string,
): string | undefined {
  if (privateKey === undefined && password === undefined && agent === undefined)
    return `nothing to log in with, want a privateKey, a password or an agent${where}`;
  if (passphrase !== undefined && privateKey === undefined)
    return "there is a passphrase, but no privateKey that it opens";
  return undefined;
}

/** Names of the hosts that run a component; those of the control plane without a name. */
export const hostsOf = ({ hosts, components }: Placed, component = ""): readonly string[] =>
  components[component] ?? hosts.filter(({ controlPlane }) => controlPlane).map(({ name }) => name);

/** What determines where a component is. */
type Placed = Pick<HostsPlacement, "components"> & {
  readonly hosts: readonly { readonly name: string; readonly controlPlane: boolean }[];
};

/** Field by field: its own, else the common one, else the default. */
export function loginOf<T extends object>(address: string, { through, ...shared }: TypedHosts["ssh"], own: T) {
  const filled = { user: "root", port: 22, ...shared, address, ...own };
  const jumps = ("through" in own ? (own as TypedHosts["ssh"]).through : through) ?? [];
  return { ...filled, through: jumps.map((jump) => ({ user: "root", port: 22, ...shared, ...jump })) };
}
