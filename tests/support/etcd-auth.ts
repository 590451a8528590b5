import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import type { EtcdConnection } from "../../lib/etcd/client.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import type { EtcdCluster } from "./etcd.ts";
import { programPath } from "./programs.ts";

/** A certificate of a cluster's authority for a user. */
export const as = async ({ authority }: EtcdCluster, commonName: string): Promise<EtcdConnection> => ({
  ca: authority.certificate,
  ...(await authority.issue({ commonName })),
});

/** Runs etcd's own client as somebody. */
export async function etcdctl(
  { endpoints, files }: EtcdCluster,
  who: EtcdConnection,
  ...args: string[]
): Promise<string> {
  const own = { certificate: join(files.ca, "../as.crt"), key: join(files.ca, "../as.key") };
  for (const name of ["certificate", "key"] as const) writeFileSync(own[name], who[name], { mode: 0o600 });
  const flags = ["--endpoints", endpoints[0]!, "--cacert", files.ca, "--cert", own.certificate, "--key", own.key];
  return (await execa(await programPath("etcdctl"), [...flags, ...args])).stdout;
}

/** Waits until a cluster answers. */
export const answering = (cluster: EtcdCluster, who: EtcdConnection): Promise<string> =>
  waitFor("etcd to answer", deadlineIn(30), () => etcdctl(cluster, who, "get", "none"));

/**
 * Switches etcd's authentication on, with a role for each user of what is granted to it, for instance
 * `{ reader: ["--prefix=true read /karmada/"] }`, and with root. @returns root's certificate
 */
export async function authenticate(
  cluster: EtcdCluster,
  grants: Readonly<Record<string, readonly string[]>>,
): Promise<EtcdConnection> {
  const root = await as(cluster, "root");
  await answering(cluster, root);
  for (const user of ["root", ...Object.keys(grants)]) {
    await etcdctl(cluster, root, "role", "add", user);
    await etcdctl(cluster, root, "user", "add", user, "--no-password");
    await etcdctl(cluster, root, "user", "grant-role", user, user);
  }
  for (const [user, permissions] of Object.entries(grants))
    for (const permission of permissions)
      await etcdctl(cluster, root, "role", "grant-permission", user, ...permission.split(" "));
  await etcdctl(cluster, root, "auth", "enable");
  return root;
}
