import { LoginRefused } from "../lib/hosts/refused-login.ts";
import { KubeError } from "../lib/kube/error.ts";
import { messageOf } from "../lib/wait.ts";

/**
 * Looks at or removes a thing with what the state has of it. Credentials in a state are those of the last `up`, so an
 * error of refused ones says what to do where they have been replaced since.
 */
export async function withCredentialsOfState<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new Error(`${messageOf(error)}\n${advice}`, { cause: error });
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof LoginRefused ||
  (error instanceof KubeError && error.status === 401) ||
  (error instanceof Error && isRefusal(error.cause));

const advice =
  "these credentials are of the last `up`\nan `up` takes over what has replaced them: run it before a refresh, a destroy, or an edit that removes this";
