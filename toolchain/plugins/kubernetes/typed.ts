/**
 * Kubernetes' own Go types, as far as they change what a program wrote: fields they do not have are dropped, zero
 * values that mean "not set" too, and quantities get their canonical form.
 */
import { fieldsOf, listType } from "./field-types.ts";
import { apiVersionOf, isObject, kindOf } from "./object.ts";
import type { Field, KubeObject } from "./object.ts";
import { canonicalQuantity } from "./quantity.ts";

/** The object as its type would write it; as it is when there is no such type or a value does not fit into it. */
export function normalizeTyped(object: KubeObject): KubeObject {
  const id = `${apiVersionOf(object)}/${kindOf(object)}`;
  if (fieldsOf(id) === undefined) return object;
  try {
    return struct(id, object) as KubeObject;
  } catch (error) {
    if (error instanceof Mismatch) return object;
    throw error;
  }
}

class Mismatch extends Error {}

function struct(id: string, value: Field): Field {
  if (value === null) return null;
  if (!isObject(value)) throw new Mismatch(`${id}: not a map`);
  const fields = fieldsOf(id)!;
  const result: KubeObject = {};
  for (const [key, field] of Object.entries(value)) {
    const type = fields.get(key);
    if (type === undefined) continue;
    const { omits, code } = type;
    const converted = convert(code, field);
    if (omits && (converted === null || (omits === "?" && isZero(converted)))) continue;
    result[key] = converted;
  }
  return result;
}

function convert(code: string, value: Field): Field {
  if (code.startsWith("@")) return struct(code.slice(1), value);
  if (value === null || code === "any") return value;
  const list = listType(code);
  if (list) {
    if (!Array.isArray(value)) throw new Mismatch(code);
    return value.map((each) => convert(list.element, each));
  }
  if (code.startsWith("{}")) {
    if (!isObject(value)) throw new Mismatch(code);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, convert(code.slice(2), each)]));
  }
  return scalar(code, value);
}

function scalar(code: string, value: Field): Field {
  switch (code) {
    case "string":
    case "time":
      return fits(value, typeof value === "string");
    case "bool":
      return fits(value, typeof value === "boolean");
    case "int":
      return fits(value, Number.isInteger(value));
    case "float":
      return fits(value, typeof value === "number");
    case "intOrString":
      return fits(value, typeof value === "string" || Number.isInteger(value));
    case "quantity": {
      const quantity = canonicalQuantity(String(value));
      return fits(quantity ?? value, quantity !== undefined && !isObject(value));
    }
    default:
      throw new Error(`fields.txt: unknown code ${code}`);
  }
}

function fits(value: Field, does: boolean): Field {
  if (does) return value;
  throw new Mismatch(typeof value);
}

function isZero(value: Field): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) ? Object.keys(value).length === 0 : !value;
}
