import { tellsOfLeftBehind } from "../../lib/left-behind.ts";

/**
 * Whether providers warned, in a destroy, that something is left where nothing answered: on a host, or in a member.
 *
 * @param log what `pulumi --event-log` wrote: an event a line (apitype/events.go)
 */
export function saysWhatIsLeft(log: string): boolean {
  return log.split("\n").some((line) => line !== "" && tellsOfLeftBehind(messageIn(line)));
}

interface Event {
  readonly diagnosticEvent?: { readonly message?: string };
}

/** Empty when it is no message; the last line may be incomplete. */
function messageIn(line: string): string {
  try {
    return (JSON.parse(line) as Event).diagnosticEvent?.message ?? "";
  } catch {
    return "";
  }
}
