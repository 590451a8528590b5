/**
 * An alarm of a member that is not on the list. It stops writes like any other: etcd keeps those of removed members,
 * and those that came with a snapshot, under the members' IDs before the restore.
 */
export interface StrayAlarm {
  /** Hexadecimal; {@link ofNobody} where etcd does not say which member it is about. */
  readonly id: string;
  /** For instance `NOSPACE`, `CORRUPT`. */
  readonly alarm: string;
}

/**
 * The ID in an alarm that names no member: CORRUPT where no majority holds the same data; before etcd 3.6 often so.
 * https://github.com/etcd-io/etcd/blob/v3.6.6/server/etcdserver/corrupt.go
 */
export const ofNobody = "0";

/** `alarm CORRUPT of 8e9e05c42164694d, no member any more` */
export const strayInWords = ({ id, alarm }: StrayAlarm): string =>
  `alarm ${alarm} of ${id === ofNobody ? "no member in particular" : `${id}, no member any more`}`;
