/**
 * By how much a restored cluster's revisions are raised. Otherwise revisions would be used twice, and a client that saw
 * the lost ones would silently miss changes while it waits for later ones. etcd's documentation recommends one billion,
 * enough for a week of 1500 writes a second (https://etcd.io/docs/v3.6/op-guide/recovery/); more when more is known to
 * be lost.
 */
export function bumpFor(snapshotRevision: bigint, lastSeenRevision: bigint): bigint {
  const lost = lastSeenRevision > snapshotRevision ? lastSeenRevision - snapshotRevision : 0n;
  const ample = (lost * 12n + 9n) / 10n;
  return ample > leastBump ? ample : leastBump;
}

const leastBump = 1_000_000_000n;
