import type { Resources } from "../../spec/values/resources.ts";
import { bytes, type Size } from "../../spec/values/units.ts";
import { data, type Process, text, urls } from "../process.ts";
import { client } from "./certificates.ts";
import { etcdBackupName } from "./etcd-backup.ts";
import type { EtcdConnection } from "./etcd-client.ts";
import { etcdProcess, memberUrl } from "./etcd.ts";

/** An etcd cluster of our own. */
export interface EtcdCluster {
  /** Names of its members, each a process of this name: `etcd-0`, `etcd-1` and so on. */
  readonly members: readonly string[];
  readonly version: string;
  /** Its name, if there are several. */
  readonly group?: string;
  readonly quota: Size;
  readonly extraArgs: Readonly<Record<string, string>>;
  /** Limits and requests of each member. @default no limits */
  readonly resources?: Resources;
}

/** Its members and how to reach them. */
export function managedEtcd(cluster: EtcdCluster): { members: readonly Process[]; connection: EtcdConnection } {
  const { version, group, extraArgs, resources } = cluster;
  const common = {
    version,
    extraArgs,
    quotaBytes: bytes(cluster.quota),
    authority: "etcd",
    peerAuthority: "etcd-peer",
    ...(group !== undefined && { group }),
    ...(resources !== undefined && { resources }),
  };
  return {
    members: cluster.members.map((name) => etcdProcess({ name, ...common })),
    connection: {
      endpoints: cluster.members.map((name) => memberUrl(name, "client")),
      servers: [urls("client", cluster.members)],
      authority: "etcd",
      prefix: "/registry",
      identity: ownIdentity,
    },
  };
}

/**
 * An existing etcd: every program shows the one certificate we were given, except for maintenance, if there is another
 * one for that.
 */
export function externalEtcd({
  endpoints,
  prefix,
  maintenance,
}: {
  readonly endpoints: readonly string[];
  readonly prefix: string;
  readonly maintenance?: object;
}): EtcdConnection {
  const keeper = maintenance === undefined ? externalClient : externalKeeper;
  return {
    endpoints,
    prefix,
    authority: "etcd",
    identity: (program) => ({ certificate: program === etcdBackupName ? keeper : externalClient }),
  };
}

/** Name of the certificate that programs show to an existing etcd. */
export const externalClient = "etcd-client";
/** Name of the one for maintenance, if there is one. */
export const externalKeeper = "etcd-maintenance-client";

/**
 * The etcd that simulated members share, each with its own prefix. It has one member, started directly by the
 * placement, since it is not meant to last: nothing has it store its data as an older minor version does.
 */
export function simulatedEtcd(version: string): { process: Process; connection: (member: string) => EtcdConnection } {
  const name = "simulated-etcd";
  const request = client("simulated-etcd-client", "simulated-etcd-client", name);
  const member = etcdProcess({
    name,
    version,
    quotaBytes: bytes("2Gi"),
    // At 5 s the progress notifications of all the members' watches cost 4 % of a core, and an API server asks when it
    // needs one.
    progressInterval: "10m",
    extraArgs: {},
    authority: name,
    peerAuthority: name,
  });
  const alone = [
    text`--data-dir=${data("etcd")}`,
    text`--initial-cluster=${name}=${memberUrl(name, "peer")}`,
    `--initial-cluster-token=${name}`,
  ];
  return {
    process: { ...member, args: [...member.args, ...alone], dataVersion: version },
    connection: (member) => ({
      endpoints: [memberUrl(name, "client")],
      authority: name,
      prefix: `/${member}`,
      identity: () => ({ certificate: request.name, request }),
    }),
  };
}

/** A certificate for each program, which identifies it in etcd's log. */
function ownIdentity(program: string): ReturnType<EtcdConnection["identity"]> {
  const request = client(`${program}-etcd-client`, `system:karmada:${program}-etcd-client`, "etcd");
  return { certificate: request.name, request };
}
