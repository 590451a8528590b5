import { type Deadline, type Pending, waitFor, type WaitOptions } from "../wait.ts";
import { isTransient } from "./error.ts";

/**
 * Repeats a call while the server is gone, starting or overloaded, as `waitFor` does. The call has to be idempotent: it
 * may have been carried out, and only the answer lost.
 *
 * @throws a refusal at once; at the deadline, with `what` and the last answer
 */
export const retryTransient = <T>(
  what: string,
  deadline: Deadline,
  attempt: () => Promise<T | Pending>,
  pace: Omit<WaitOptions, "fatal"> = {},
): Promise<T> => waitFor(what, deadline, attempt, { ...pace, fatal: (error) => !isTransient(error) });
