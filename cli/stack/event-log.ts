/**
 * Whether providers warned, in a destroy, that something stays where it is: on a host or in a member that did not answer.
 *
 * @param log what `pulumi --event-log` wrote: an event a line (apitype/events.go)
 */
export function saysWhatStays(log: string): boolean {
  return log.split("\n").some((line) => line !== "" && /\bstays\b/.test(messageIn(line)));
}

interface Event {
  readonly diagnosticEvent?: { readonly message?: string };
}

/** Empty when it is no message; the last line may be written by halves. */
function messageIn(line: string): string {
  try {
    return (JSON.parse(line) as Event).diagnosticEvent?.message ?? "";
  } catch {
    return "";
  }
}
