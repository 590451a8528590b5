/**
 * Bytes in whole mebibytes, as stack files and Kubernetes write them: `412Mi`. What is needed is rounded up; what there
 * is should be rounded down, or the two may look the same where they are not.
 */
export const mebibytes = (bytes: number, round: (value: number) => number = Math.ceil): string =>
  `${round(bytes / 2 ** 20)}Mi`;

/** Bytes to one digit, for what should read alike a while later: `under 1Mi`, `about 400Mi`, `about 8Gi`. */
export function roughSize(bytes: number): string {
  if (bytes < 2 ** 20) return "under 1Mi";
  const [unit, name] = bytes >= 2 ** 30 ? [2 ** 30, "Gi"] : [2 ** 20, "Mi"];
  return `about ${Number((bytes / unit).toPrecision(1))}${name}`;
}

/** Bytes to about three digits: `1.3Mi`, `412Mi`, `8.0Gi`. */
export function readableSize(bytes: number): string {
  if (bytes >= 2 ** 30) return `${(bytes / 2 ** 30).toFixed(1)}Gi`;
  return bytes >= 10 * 2 ** 20 ? mebibytes(bytes, Math.round) : `${(bytes / 2 ** 20).toFixed(1)}Mi`;
}
