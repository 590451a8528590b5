import type { EtcdAccess } from "../../../components/etcd-access.ts";
import type { Manifest } from "../../../lib/snapshots/manifest.ts";
import { takeSnapshot } from "../../../lib/snapshots/take.ts";
import { programPath } from "../../support/programs.ts";

/** Takes a snapshot of a deployment, with all its clusters, into a directory. @param access its output `etcdAccess` */
export async function takeInto(directory: string, access: EtcdAccess): Promise<Manifest> {
  const { deployment, endpoints, parts, ca, certificate, key, prefix } = access;
  const { manifest } = await takeSnapshot(
    {
      deployment,
      source: { endpoints, connection: { ca, certificate, key } },
      parts,
      targets: [{ kind: "local", directory }],
      encryption: { kind: "none" },
      verify: "status",
      keyPrefix: prefix,
      tools: async () => ({ etcdutl: await programPath("etcdutl"), etcd: await programPath("etcd") }),
    },
    "on-demand",
  );
  return manifest;
}
