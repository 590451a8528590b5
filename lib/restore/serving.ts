import type { EtcdClient } from "../etcd/client.ts";
import { etcdHealth } from "../etcd/health.ts";
import { readable } from "../etcd/log-lines.ts";
import type { EtcdRuntime } from "../etcd/runtime/runtime.ts";
import { messageOf, Pending, waitFor, type Deadline } from "../wait.ts";
import type { RestoredMember } from "./token.ts";

interface Status {
  readonly header: { readonly revision: string };
}

interface HashKv {
  readonly hash?: number;
}

/**
 * Waits until every member serves the restored cluster, and verifies that all hold the same.
 * @returns the revision they agree on, decimal
 */
export async function becomeServing(
  members: readonly RestoredMember[],
  clusterId: string,
  { runtime, client }: { readonly runtime: EtcdRuntime; readonly client: EtcdClient },
  deadline: Deadline,
): Promise<string> {
  const endpoints = members.map(({ clientUrl }) => clientUrl);
  const serving = async () => {
    const report = await etcdHealth(client, endpoints);
    if (report.clusterId !== clusterId) return new Pending(`cluster ${report.clusterId} answers, want ${clusterId}`);
    const ill = report.members.filter(({ healthy }) => !healthy);
    if (report.members.length !== members.length) return new Pending(`${report.members.length} members answer`);
    return ill.length === 0 ? true : new Pending(ill.map(({ name, problem }) => `${name}: ${problem}`).join("; "));
  };
  try {
    await waitFor(`${members.length} members to serve the restored data`, deadline, serving);
  } catch (error) {
    throw new Error(`${messageOf(error)}${await endsOfLogs(members, runtime)}`, { cause: error });
  }
  return provedEqual(client, endpoints);
}

/** All members hold the same keys and values at one revision. */
async function provedEqual(client: EtcdClient, endpoints: readonly string[]): Promise<string> {
  const now = await Promise.all(endpoints.map((each) => client.call<Status>(each, "maintenance/status", {}, timeout)));
  const revision = now.map(({ header }) => BigInt(header.revision)).reduce((a, b) => (a < b ? a : b));
  const at = { revision: String(revision) };
  const hashes = await Promise.all(
    endpoints.map((each) => client.call<HashKv>(each, "maintenance/hashkv", at, timeout)),
  );
  const differing = new Set(hashes.map(({ hash }) => hash));
  if (differing.size > 1) {
    const list = endpoints.map((endpoint, i) => `${endpoint} ${hashes[i]?.hash}`).join(", ");
    throw new Error(`the restored members differ at revision ${revision}: ${list}`);
  }
  return String(revision);
}

/** A hash of 8 GB takes a while. */
const timeout = 120_000;

async function endsOfLogs(members: readonly RestoredMember[], runtime: EtcdRuntime): Promise<string> {
  const logs = await Promise.all(
    members.map(async ({ name }) => `${name}: ${await runtime.log(name).then(readable, messageOf)}`),
  );
  return `\n${logs.join("\n")}`;
}
