/** Distinguished names, encoded as Go's crypto/x509/pkix does it, whose order is fixed. */
import type { Attribute, Plain, State } from "../bridge/schema.ts";
import { ia5String, objectIdentifier, printableString, sequence, set, utf8String } from "./der.ts";
import { children, readObjectIdentifier } from "./der-reader.ts";
import type { Element } from "./der-reader.ts";

const EMAIL_ADDRESS = "1.2.840.113549.1.9.1";
/** By the names of the inputs, in the order of encoding. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  country: "2.5.4.6",
  province: "2.5.4.8",
  locality: "2.5.4.7",
  streetAddresses: "2.5.4.9",
  postalCode: "2.5.4.17",
  organization: "2.5.4.10",
  organizationalUnit: "2.5.4.11",
  commonName: "2.5.4.3",
  serialNumber: "2.5.4.5",
};
/** Of which the last one counts, and an empty one is left out. */
const SINGLE = ["commonName", "serialNumber"];

/** The values of each attribute, by the names of the inputs. */
export type Subject = Readonly<Record<string, readonly string[]>>;

/** The input: any change replaces. */
export const subjectAttribute: Attribute = {
  kind: "block",
  replace: true,
  fields: {
    ...Object.fromEntries([...Object.keys(ATTRIBUTES), "emailAddress"].map((name) => [name, { kind: "string" }])),
    streetAddresses: { kind: "strings", terraformName: "street_address" },
  },
};

export function configuredSubject(configured: Plain): Subject {
  const entries = Object.entries((configured ?? {}) as State);
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat() as string[]]));
}

/** Whether nothing at all is in it. */
export function isEmptySubject(subject: Subject): boolean {
  return Object.entries(subject).every(([name, values]) => significant(name, values).length === 0);
}

export function encodeSubject(subject: Subject): Buffer {
  const names = Object.entries(ATTRIBUTES).flatMap(([name, oid]) => {
    const values = significant(name, subject[name] ?? []);
    return values.length === 0 ? [] : [set(...values.map((value) => attribute(oid, directoryString(value))))];
  });
  const emails = (subject["emailAddress"] ?? []).map((value) => set(attribute(EMAIL_ADDRESS, ia5String(value))));
  return sequence(...names, ...emails);
}

/** What of a name can be encoded again: an e-mail address, for one, cannot, as in the official plugin. */
export function decodeSubject(name: Element): Subject {
  const subject: Record<string, string[]> = {};
  const byOid = new Map(Object.entries(ATTRIBUTES).map(([input, oid]) => [oid, input]));
  for (const attribute of children(name).flatMap(children)) {
    const [type, value] = children(attribute);
    const input = type && byOid.get(readObjectIdentifier(type));
    if (input && value) (subject[input] ??= []).push(value.content.toString("utf8"));
  }
  return subject;
}

function significant(name: string, values: readonly string[]): readonly string[] {
  return SINGLE.includes(name) ? values.slice(-1).filter((value) => value !== "") : values;
}

function attribute(oid: string, value: Buffer): Buffer {
  return sequence(objectIdentifier(oid), value);
}

function directoryString(text: string): Buffer {
  return /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text) ? printableString(text) : utf8String(text);
}
