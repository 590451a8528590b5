import { randomBytes } from "node:crypto";

/** The prefix and eight hexadecimal digits. */
export function uniqueId(prefix: string): string {
  return prefix + randomBytes(4).toString("hex");
}
