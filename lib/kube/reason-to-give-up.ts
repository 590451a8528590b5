import { deadlineIn, messageOf, waitFor } from "../wait.ts";
import type { KubeClient } from "./client.ts";
import { isTransient, KubeError } from "./error.ts";

/** When `true`, Pulumi's kubernetes provider gives up on objects to be deleted in a cluster that does not answer. */
const giveUpVariable = "PULUMI_K8S_DELETE_UNREACHABLE";

/** How long a server that may be given up on is asked, in seconds. */
const patience = 10;

/**
 * Before anything is deleted in a server, checks whether it answers.
 *
 * @param what for the error: `the Karmada`
 * @param seconds for it to answer; ten at most if it may be given up on
 * @returns why it is given up on; undefined when it answers, even with a refusal
 * @throws when it does not, unless {@link giveUpVariable} says that it is gone
 */
export async function reasonToGiveUp(what: string, client: KubeClient, seconds: number): Promise<string | undefined> {
  const mayBe = process.env[giveUpVariable] === "true";
  const deadline = deadlineIn(mayBe ? Math.min(patience, seconds) : seconds);
  // A server without its etcd does not answer this either.
  const look = () =>
    client.find("/api/v1/namespaces/kube-system", { timeout: Math.min(5000, Math.max(1, deadline.left())) });
  try {
    await waitFor(`${what} to answer`, deadline, look, { fatal: (error) => !isTransient(error) });
    return undefined;
  } catch (error) {
    if (hasAnswered(error)) return undefined;
    if (mayBe) return messageOf(error);
    const wayOut = `if ${what} is gone for good: the same again with ${giveUpVariable}=true in the environment gives up what would be deleted there`;
    throw new Error(`${messageOf(error)}\n${wayOut}`, { cause: error });
  }
}

/** Whether the server itself refused, where the next call gives a better error. */
function hasAnswered(error: unknown): boolean {
  const last = error instanceof Error && error.cause instanceof KubeError ? error.cause : error;
  return last instanceof KubeError && last.status < 500;
}
