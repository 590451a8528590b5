import { readFileSync } from "node:fs";
import { sourceMembers } from "../snapshots/source.ts";
import type { BackupSettings } from "./settings.ts";

/** What clients of etcd show and trust, read anew each time. */
export function connectionOf({ ca, certificate, key }: BackupSettings["etcd"]) {
  const read = (path: string) => readFileSync(path, "utf8");
  return { ca: read(ca), certificate: read(certificate), key: read(key) };
}

/** ID of the cluster that answers now. @throws when none does */
export async function presentCluster(etcd: BackupSettings["etcd"]): Promise<string> {
  const source = { endpoints: etcd.endpoints, connection: connectionOf(etcd) };
  const [member] = await sourceMembers(source, { emergency: false });
  return member!.clusterId;
}
