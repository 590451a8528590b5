/**
 * What takes something of a resource that failed is left out, and the SDK would say of it that the program has an unhandled
 * exception, with a stack that leads nowhere. Why the resource failed the engine says. Here it is one sentence for each of them.
 *
 * The program still ends with an error: from one that does not, the engine would conclude that what it left out is to be deleted
 * (`@pulumi/pulumi/cmd/run/index.js`).
 */
export function sayWhatIsLeftOut(): void {
  const on = process.on.bind(process) as (event: string, listener: (...args: unknown[]) => void) => NodeJS.Process;
  process.on = ((event: string, listener: (...args: unknown[]) => void) =>
    on(
      event,
      event === "unhandledRejection" ? (reason, promise) => listener(inWords(reason), promise) : listener,
    )) as typeof process.on;
}

/** The same error, which the SDK knows again by its identity: what is a `RunError` to it is shown without a stack. */
function inWords(reason: unknown): unknown {
  const failed =
    reason instanceof Error ? /\bresource (\S+) \[\S+\] failed to register$/.exec(reason.message)?.[1] : undefined;
  if (failed === undefined) return reason;
  return Object.assign(reason as Error, {
    message: `${failed} failed: what takes something of it is left out`,
    __pulumiRunError: true,
  });
}
