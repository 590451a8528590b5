import { deadlineIn, messageOf, waitFor } from "../wait.ts";
import type { KubeClient } from "./client.ts";
import { isTransient, KubeError } from "./error.ts";

/** By which Pulumi's kubernetes provider gives up what is to be deleted in a cluster that does not answer, when it is `true`. */
export const giveUpVariable = "PULUMI_K8S_DELETE_UNREACHABLE";

/** How long a server that may be given up is asked, in seconds. */
const patience = 10;

/**
 * Asks a server in which something is to be deleted whether it answers, before anything is deleted.
 *
 * @param what for the error: `the Karmada`
 * @param seconds for it to answer; ten at most where it may be given up
 * @returns why it is given up; undefined when it answers, be it with a refusal
 * @throws when it does not, and {@link giveUpVariable} does not say that it is gone
 */
export async function givenUp(what: string, client: KubeClient, seconds: number): Promise<string | undefined> {
  const mayBe = process.env[giveUpVariable] === "true";
  const deadline = deadlineIn(mayBe ? Math.min(patience, seconds) : seconds);
  // Of a server without its etcd this is no answer either.
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

/** Whether it said no by itself, to which what comes next is a better error. */
function hasAnswered(error: unknown): boolean {
  const last = error instanceof Error && error.cause instanceof KubeError ? error.cause : error;
  return last instanceof KubeError && last.status < 500;
}
