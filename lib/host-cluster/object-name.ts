import { sha256 } from "../sha256.ts";

/**
 * The name of a program's objects, which is also the value of its label: its own, or one derived from it where that is
 * longer than a DNS label or begins with a digit, which a Service's may not (RFC 1035). A member's name can cause that.
 */
export function objectName(process: string): string {
  if (/^[a-z]/.test(process) && process.length <= longest) return process;
  const digest = sha256(process).slice(0, 8);
  const kept = longest - "m--".length - digest.length;
  return `m-${process.slice(0, kept)}-${digest}`;
}

const longest = 63;
