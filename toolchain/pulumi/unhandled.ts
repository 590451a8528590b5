/**
 * Unhandled errors end a run, and the SDK reports them as faults of this program. For two kinds this tells it how to
 * report them.
 *
 * The program still ends with an error: from one that does not, the engine would conclude that what it left out is to be deleted
 * (`@pulumi/pulumi/cmd/run/index.js`).
 */
export function sayUnhandledInWords(): void {
  const on = process.on.bind(process) as (event: string, listener: (...args: unknown[]) => void) => NodeJS.Process;
  process.on = ((event: string, listener: (...args: unknown[]) => void) =>
    on(
      event,
      event === "unhandledRejection" ? (reason, promise) => listener(inWords(reason), promise) : listener,
    )) as typeof process.on;
}

/**
 * The same error, which the SDK knows again by its identity: what is a `RunError` to it is shown without a stack, but once
 * the program has come to its end the stack is all that is shown, so that it is given the same text.
 */
function inWords(reason: unknown): unknown {
  if (!(reason instanceof Error)) return reason;
  // Why a resource failed the engine says. What takes something of it would be an unhandled exception, with a stack that leads nowhere.
  const failed = /\bresource (\S+) \[\S+\] failed to register$/.exec(reason.message)?.[1];
  if (failed !== undefined) {
    const message = `${failed} failed: what takes something of it is left out`;
    return Object.assign(reason, { message, stack: message, __pulumiRunError: true });
  }
  // What a stack refuses is about what is declared, and not about the input for which it was worked out.
  if ("__pulumiRunError" in reason) {
    reason.message = reason.message.replace(/^error serializing property "[^"]*": /, "");
    reason.stack = reason.message;
  }
  return reason;
}
