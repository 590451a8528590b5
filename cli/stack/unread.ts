/**
 * Aborted when nobody reads what is printed any more, as once head, which it is piped to, has seen enough. It is seen with the
 * next that is printed, of which console.log does not say that it failed.
 */
export function unread(): AbortSignal {
  const gone = new AbortController();
  process.stdout.on("error", () => gone.abort());
  return gone.signal;
}
