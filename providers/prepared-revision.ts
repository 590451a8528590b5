import { unknownValue } from "../toolchain/pulumi/unknown-value.ts";
import { isUnknown } from "./props.ts";

/** What the revision of a prepared process depends on. */
interface Prepared {
  readonly files: Readonly<Record<string, string>>;
  /** Files that the program rereads by itself when they change. @default none */
  readonly rereads?: readonly string[];
}

/**
 * The revision of a prepared process; unknown in a preview as long as anything is that it depends on.
 *
 * @param revisionOf of the same without the files that are reread
 */
export function revisionIfKnown<P extends Prepared>(
  { rereads = [], files, ...rest }: P,
  revisionOf: (parts: Omit<P, "rereads">) => string,
): string {
  if (typeof files === "string") return unknownValue;
  const counted = Object.fromEntries(Object.entries(files).filter(([file]) => !rereads.includes(file)));
  const parts = { ...rest, files: counted };
  return isUnknown(parts) ? unknownValue : revisionOf(parts as unknown as Omit<P, "rereads">);
}
