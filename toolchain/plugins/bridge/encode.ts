import { isList, isMap, reveal, Unknown } from "../server/index.ts";
import type { Properties, Value } from "../server/index.ts";
import type { Attribute, Plain, State } from "./schema.ts";

/**
 * Properties as a provider sees them: opened, converted to the attributes' kinds, without what no attribute has.
 * @throws Error for a value that cannot be converted
 */
export function encodeState(attributes: Readonly<Record<string, Attribute>>, properties: Properties): State {
  const state: Record<string, Plain> = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = encodeValue(attribute, name, reveal(properties[name]));
    if (value !== undefined) state[name] = value;
  }
  return state;
}

function encodeValue(attribute: Attribute, name: string, value: Value): Plain {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Unknown) return value;
  switch (attribute.kind) {
    case "string":
      return encodeString(name, value);
    case "integer":
      return encodeNumber(name, value);
    case "boolean":
      if (typeof value !== "boolean") throw refused(name, "Expected a Boolean");
      return value;
    case "strings":
      if (!isList(value)) throw refused(name, "Expected an Array PropertyValue");
      return value.map((each) => (each instanceof Unknown ? each : encodeString(name, each)));
    case "string-map":
      if (!isMap(value)) throw refused(name, "Expected an Object PropertyValue");
      return encodeMap(name, value);
    case "block":
      if (!isMap(value)) throw refused(name, "Expected an Object PropertyValue");
      return encodeState(attribute.fields!, value);
  }
}

function encodeMap(name: string, map: Properties): Plain {
  const entries = Object.entries(map).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, value instanceof Unknown ? value : encodeString(name, value)]),
  );
}

function encodeString(name: string, value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw refused(name, "Expected a String");
}

function encodeNumber(name: string, value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
  throw refused(
    name,
    `Expected a Number, got resource.PropertyValue{V:${JSON.stringify(value)}} ${typeof value === "string"}`,
  );
}

function refused(name: string, reason: string): Error {
  return new Error(
    `cannot encode resource inputs to call ValidateResourceConfig: objectEncoder failed on property "${name}": ${reason}`,
  );
}
