import { boolean, explicit, implicit, integer, objectIdentifier, octetString, sequence } from "./der.ts";
import { children, readObjectIdentifier } from "./der-reader.ts";
import type { Element } from "./der-reader.ts";
import { encodeNames } from "./alternative-names.ts";
import type { AlternativeNames } from "./alternative-names.ts";
import { extendedKeyUsage, keyUsage } from "./uses.ts";

export const OID = {
  keyUsage: "2.5.29.15",
  extendedKeyUsage: "2.5.29.37",
  basicConstraints: "2.5.29.19",
  subjectKeyIdentifier: "2.5.29.14",
  authorityKeyIdentifier: "2.5.29.35",
  alternativeNames: "2.5.29.17",
} as const;

export interface ExtensionValues {
  readonly uses: readonly string[];
  readonly isAuthority: boolean;
  /** Intermediate certificates that may follow; none is told when it is not above 0, as in the official plugin. */
  readonly maxPathLength: number | undefined;
  readonly subjectKeyIdentifier: Buffer | undefined;
  readonly authorityKeyIdentifier: Buffer | undefined;
  readonly names: AlternativeNames;
  readonly hasSubject: boolean;
}

/** A certificate's extensions, in Go's order. */
export function encodeExtensions(values: ExtensionValues): Buffer {
  const { authorityKeyIdentifier: authority, subjectKeyIdentifier: subject } = values;
  return explicit(
    3,
    sequence(
      ...extension(OID.keyUsage, keyUsage(values.uses), true),
      ...extension(OID.extendedKeyUsage, extendedKeyUsage(values.uses), false),
      ...extension(OID.basicConstraints, basicConstraints(values), true),
      ...extension(OID.subjectKeyIdentifier, subject && octetString(subject), false),
      ...extension(OID.authorityKeyIdentifier, authority && sequence(implicit(0, authority)), false),
      ...extension(OID.alternativeNames, encodeNames(values.names), !values.hasSubject),
    ),
  );
}

/** One extension, or none when it has no value. */
export function extension(oid: string, value: Buffer | undefined, critical: boolean): Buffer[] {
  if (value === undefined) return [];
  return [sequence(objectIdentifier(oid), ...(critical ? [boolean(true)] : []), octetString(value))];
}

/** The values of extensions, by their identifiers. */
export function decodeExtensions(list: Element): Map<string, Buffer> {
  return new Map(
    children(list).map((each) => {
      const parts = children(each);
      return [readObjectIdentifier(parts[0]!), parts.at(-1)!.content];
    }),
  );
}

function basicConstraints({ isAuthority, maxPathLength = 0 }: ExtensionValues): Buffer {
  if (!isAuthority) return sequence();
  return sequence(boolean(true), ...(maxPathLength > 0 ? [integer(maxPathLength)] : []));
}
