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
 * Lets a command finish although its output is no longer read: its work must not be left half done, nor is that an
 * error. Any other failure to print, such as a full disk, still is.
 */
export function goOnUnread(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}
