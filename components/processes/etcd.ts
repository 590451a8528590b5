import type { Resources } from "../../spec/values/resources.ts";
import {
  bind,
  type CertificateRequest,
  file,
  host,
  loopback,
  port,
  type Process,
  type Text,
  text,
} from "../process.ts";
import { authority, pair } from "./certificates.ts";
import { versionedArgs } from "./etcd-versions.ts";
import { extraArgs, limits } from "./settings.ts";

/** One member of an etcd cluster. */
export interface EtcdMember {
  /** Its process name, which is its name in etcd too. */
  readonly name: string;
  readonly version: string;
  /** Name of its cluster, if there are several. */
  readonly group?: string;
  /** Authorities of the client and of the peer side. */
  readonly authority: string;
  readonly peerAuthority: string;
  /** Size at which the database refuses writes, in bytes. */
  readonly quotaBytes: number;
  /** Interval of progress notifications on idle watches, as a Go duration. @default "5s" */
  readonly progressInterval?: string;
  readonly extraArgs: Readonly<Record<string, string>>;
  /** @default no limits */
  readonly resources?: Resources;
}

/**
 * A member without what it needs to find its cluster the first time: where its data are, the cluster's token, state and
 * members. Whoever starts it adds these. So a member's description does not change when another one joins or leaves.
 * TLS on both sides, each with its own authority. The serving certificate is a client certificate too: etcd's JSON
 * gateway dials its own member with it. Deliberately left at their defaults: heartbeat and election timeouts, right for
 * one site, and compaction, which the API server does every five minutes. InitialCorruptCheck stays off: it delays a
 * start of all members from 1 s to 14 s, longer than the controllers' leases.
 */
export function etcdProcess(etcd: EtcdMember): Process {
  return {
    name: etcd.name,
    component: "etcd",
    ...(etcd.group !== undefined && { group: etcd.group }),
    program: { name: "etcd", version: etcd.version },
    args: [
      `--name=${etcd.name}`,
      text`--listen-client-urls=https://${bind}:${port("client")}`,
      text`--advertise-client-urls=${memberUrl(etcd.name, "client")}`,
      text`--listen-peer-urls=https://${bind}:${port("peer")}`,
      text`--initial-advertise-peer-urls=${memberUrl(etcd.name, "peer")}`,
      text`--listen-metrics-urls=http://${loopback}:${port("metrics")}`,
      "--client-cert-auth=true",
      text`--trusted-ca-file=${file("pki/etcd/ca.crt")}`,
      text`--cert-file=${file("pki/etcd/server.crt")}`,
      text`--key-file=${file("pki/etcd/server.key")}`,
      "--peer-client-cert-auth=true",
      text`--peer-trusted-ca-file=${file("pki/etcd/peer-ca.crt")}`,
      text`--peer-cert-file=${file("pki/etcd/peer.crt")}`,
      text`--peer-key-file=${file("pki/etcd/peer.key")}`,
      "--tls-min-version=TLS1.3",
      "--snapshot-count=10000",
      `--quota-backend-bytes=${etcd.quotaBytes}`,
      ...versionedArgs(etcd.version, etcd.progressInterval ?? "5s"),
      ...extraArgs(etcd.extraArgs),
    ],
    ports: ["client", "peer", "metrics"],
    callers: { peer: ["etcd"] },
    files: {
      "pki/etcd/ca.crt": authority(etcd.authority),
      "pki/etcd/peer-ca.crt": authority(etcd.peerAuthority),
      ...pair("pki/etcd/server", memberCertificate(etcd, "server").name),
      ...pair("pki/etcd/peer", memberCertificate(etcd, "peer").name),
    },
    // Read at every handshake; the trusted CA is read only at the start (etcd issue 11555).
    rereads: ["pki/etcd/server.crt", "pki/etcd/server.key", "pki/etcd/peer.crt", "pki/etcd/peer.key"],
    certificates: [memberCertificate(etcd, "server"), memberCertificate(etcd, "peer")],
    probe: { kind: "http", scheme: "http", port: "metrics", path: "/readyz" },
    // A member that is not a voter yet, or has no majority, never serves. This asks for no more than a read of its own
    // (https://github.com/etcd-io/etcd/blob/v3.6.6/server/etcdserver/api/etcdhttp/health.go#L243).
    alive: { path: "/livez", deadline: `${60 + Math.ceil(etcd.quotaBytes / slowestDisk)}s` },
    startDeadline: "60s",
    stopDeadline: "10s",
    ...limits(etcd),
  };
}

/** A member answers nothing before it has read its database: how slow a disk is waited for, in bytes per second. */
const slowestDisk = 10 * 2 ** 20;

/** The URL of a member for its clients or its peers. */
export const memberUrl = (member: string, side: "client" | "peer"): Text =>
  text`https://${host(member)}:${port(side, member)}`;

function memberCertificate(etcd: EtcdMember, side: "server" | "peer"): CertificateRequest {
  return {
    name: `${etcd.name}-${side}`,
    authority: side === "server" ? etcd.authority : etcd.peerAuthority,
    commonName: `${etcd.name}-${side}`,
    usages: ["server", "client"],
    hosts: [host(etcd.name), "localhost", "127.0.0.1", etcd.name].map((name) =>
      typeof name === "string" ? name : [name],
    ),
  };
}
