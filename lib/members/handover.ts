import type { EtcdRuntimeAddress } from "../etcd/runtime.ts";
import { failPoint } from "../fail-point.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { restartPrograms } from "../programs/restart.ts";
import { Pending, waitFor, type Deadline } from "../wait.ts";
import { refuses, type Endpoint } from "./endpoint.ts";
import { decoded, remove } from "./tokens.ts";

/**
 * Programs that go on with the token they have read once, and where they run. Karmada before 1.19 is like that: what
 * watches a member keeps its first token until its process ends (karmada-io/karmada#7562), and is blind from the next time
 * that the member ends a watch, while the Cluster is Ready all along.
 */
export interface TokenHolders {
  readonly runtime: EtcdRuntimeAddress;
  /** Names of processes. */
  readonly programs: readonly string[];
}

/** Has programs read a token anew: the one they have read is gone, or is about to be. */
export const restartHolders = async (holders: TokenHolders | undefined): Promise<void> =>
  holders && restartPrograms(holders.runtime, holders.programs);

/**
 * Takes tokens back that nobody is to use any more: who has read them starts again with the new ones, then their Secrets
 * are deleted, and it returns when the member refuses them.
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

/** An API server knows a token for some seconds more. */
async function refused(endpoint: Endpoint, secret: KubeObject, deadline: Deadline): Promise<void> {
  const token = decoded(secret);
  if (token === "") return;
  await waitFor(
    `the member to refuse the token of Secret ${secret.metadata?.name}, which is deleted`,
    deadline,
    async () => ((await refuses(endpoint, token)) ? undefined : new Pending("it still lets it in")),
  );
}
