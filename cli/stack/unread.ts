/**
 * Aborted when nobody reads what is printed any more, as once head, which it is piped to, has seen enough. It is seen with the
 * next that is printed, of which console.log does not say that it failed.
 */
export function unread(): AbortSignal {
  const gone = new AbortController();
  process.stdout.on("error", () => gone.abort());
  return gone.signal;
}

/**
 * Lets a command come to its end where nobody reads what it prints any more: what it is at is not to be left half done, nor
 * is it an error. Whatever else keeps it from being printed, such as a full disk, still is.
 */
export function goOnUnread(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}
