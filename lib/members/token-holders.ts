import type { EtcdRuntimeAddress } from "../etcd/runtime/runtime.ts";
import { failPoint } from "../fail-point.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { restartPrograms } from "../programs/restart.ts";
import { Pending, waitFor, type Deadline } from "../wait.ts";
import { refuses, type Endpoint } from "./endpoint.ts";
import { decoded, remove } from "./tokens.ts";

/**
 * Programs that keep using the token they first read, and where they run. Karmada before 1.19 is like that: whatever
 * watches a member keeps its first token until its process ends (karmada-io/karmada#7562), and is blind once the member
 * next closes a watch, while the Cluster stays Ready.
 */
export interface TokenHolders {
  readonly runtime: EtcdRuntimeAddress;
  /** Names of processes. */
  readonly programs: readonly string[];
}

/** Makes programs read the token again: the one they have is gone, or about to be. */
export const restartHolders = async (holders: TokenHolders | undefined): Promise<void> =>
  holders && restartPrograms(holders.runtime, holders.programs);

/**
 * Revokes superseded tokens: programs that read them are restarted with the new ones, their Secrets are deleted, and it
 * returns when the member refuses them.
 */
export async function revokeTokens(
  member: KubeClient,
  endpoint: Endpoint,
  superseded: readonly KubeObject[],
  holders: TokenHolders | undefined,
  deadline: Deadline,
): Promise<void> {
  if (superseded.length === 0) return;
  await restartHolders(holders);
  failPoint("rotation/restarted");
  await Promise.all(superseded.map((secret) => remove(member, secret)));
  failPoint("rotation/revoked");
  await Promise.all(superseded.map((secret) => refused(endpoint, secret, deadline)));
}

/** An API server accepts a deleted token for some more seconds. */
async function refused(endpoint: Endpoint, secret: KubeObject, deadline: Deadline): Promise<void> {
  const token = decoded(secret);
  if (token === "") return;
  await waitFor(
    `the member to refuse the token of Secret ${secret.metadata?.name}, which is deleted`,
    deadline,
    async () => ((await refuses(endpoint, token)) ? undefined : new Pending("it still lets it in")),
  );
}
