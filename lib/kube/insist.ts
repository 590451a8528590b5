import { type Deadline, type Pending, waitFor, type WaitOptions } from "../wait.ts";
import { isTransient } from "./error.ts";

/**
 * Asks a server as long as it is gone, starting or overloaded, as `waitFor` does. What is asked has to be the same when it is
 * asked twice: it may have been done, and only the answer lost.
 *
 * @throws a refusal at once, and at the deadline `what` was waited for and the last answer
 */
export const insist = <T>(
  what: string,
  deadline: Deadline,
  attempt: () => Promise<T | Pending>,
  pace: Omit<WaitOptions, "fatal"> = {},
): Promise<T> => waitFor(what, deadline, attempt, { ...pace, fatal: (error) => !isTransient(error) });
