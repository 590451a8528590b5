import type { Resources } from "../../spec/values/resources.ts";
import { data, file, loopback, type Process, text } from "../process.ts";
import { authority, pair } from "./certificates.ts";
import type { EtcdConnection } from "./etcd-client.ts";
import { limits } from "./settings.ts";

/**
 * The program that takes scheduled snapshots of etcd. It has its own client certificate, whose name shows in etcd's
 * log; it only reads status and snapshots.
 *
 * @param version of etcd's programs that verify the snapshots
 * @param writes directories that the snapshots, and related files, are written to
 */
export function etcdBackupProcess(
  etcd: EtcdConnection,
  version: string,
  writes: Process["writes"] = [],
  resources: Resources = {},
): Process {
  const { certificate, request } = etcd.identity("etcd-backup");
  return {
    name: etcdBackupName,
    component: "etcd-backup",
    program: { main: "lib/backup/main.ts" },
    recreate: true,
    args: [[file(backupFiles.settings)]],
    runs: ["etcd", "etcdutl"].map((name) => ({ name, version })),
    writes,
    ...limits({ resources }),
    ports: ["http"],
    files: {
      [backupFiles.settings]: { from: "given" },
      [backupFiles.ca]: authority(etcd.authority),
      ...pair(backupFiles.pair, certificate),
    },
    certificates: request === undefined ? [] : [request],
    probe: { kind: "http", scheme: "http", port: "http", path: "/healthz" },
    startDeadline: "60s",
    stopDeadline: "10s",
  };
}

/** The process that takes scheduled snapshots; there is one. */
export const etcdBackupName = "etcd-backup";

/** Its files, by their key. */
export const backupFiles = {
  settings: "settings.json",
  encryptionKey: "encryption.key",
  /** Key of the file with the login of a target, which is given by its place among them. */
  login: (target: number) => `login-${target}`,
  ca: "pki/etcd/ca.crt",
  pair: "pki/etcd/client",
} as const;

/** Where it keeps its status; the paths its settings name. */
export const backupPaths = {
  directory: [data()],
  encryptionKey: [file(backupFiles.encryptionKey)],
  login: (target: number) => [file(backupFiles.login(target))],
  /** Its status is open to everybody on the machine, and not secured. */
  listen: [loopback],
  status: text`${data("status.json")}`,
  ca: [file(backupFiles.ca)],
  certificate: [file(`${backupFiles.pair}.crt`)],
  key: [file(`${backupFiles.pair}.key`)],
} as const;
