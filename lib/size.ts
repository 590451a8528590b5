/**
 * Bytes in whole mebibytes, as stack files and Kubernetes write them: `412Mi`. What is needed is rounded up; what there
 * is should be rounded down, or the two may look the same where they are not.
 */
export const mebibytes = (bytes: number, round: (value: number) => number = Math.ceil): string =>
  `${round(bytes / 2 ** 20)}Mi`;

/** Bytes to about three digits: `1.3Mi`, `412Mi`, `8.0Gi`. */
export function readableSize(bytes: number): string {
  if (bytes >= 2 ** 30) return `${(bytes / 2 ** 30).toFixed(1)}Gi`;
  return bytes >= 10 * 2 ** 20 ? mebibytes(bytes, Math.round) : `${(bytes / 2 ** 20).toFixed(1)}Mi`;
}
