/**
 * Aborted when standard output is no longer read, as when it is piped to head, which has seen enough. That shows with
 * the next output, whose failure console.log does not report.
 */
export function unread(): AbortSignal {
  const gone = new AbortController();
  process.stdout.on("error", () => gone.abort());
  return gone.signal;
}

/**
 * Lets a command finish although its output is no longer read, or no longer written, as on a full disk: its work must not
 * be left half done. The first is no error; the second is said once the work is done, by exit code 1 where it has no other.
 *
 * @param name of the command, as it is typed
 */
export function goOnUnread(name: string): void {
  let failure: Error | undefined;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") failure ??= error;
    });
  }
  process.once("exit", () => {
    if (failure === undefined) return;
    console.error(`${name}: part of its output is lost: ${failure.message}`);
    process.exitCode ||= 1;
  });
}
