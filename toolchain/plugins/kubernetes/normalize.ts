/** The one form of an object among those that mean the same to the server, so that only real changes differ. */
import { isBuiltIn } from "./kinds.ts";
import { isCrd, isSecret } from "./gvk.ts";
import { apiVersionOf, at, clone, hasUnknown, isObject, removeAt, setAt } from "./object.ts";
import type { KubeObject } from "./object.ts";
import { normalizeTyped } from "./typed.ts";

/** A normalised copy of inputs. What only a server sets is removed; what is unknown yet is left as it is. */
export function normalize(inputs: KubeObject): KubeObject {
  const object = clone(inputs);
  const normalized = !hasUnknown(object) && isBuiltIn(apiVersionOf(object)) ? normalizeBuiltIn(object) : object;
  for (const field of serverSet) removeAt(normalized, "metadata", field);
  return normalized;
}

const serverSet = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "uid",
];

function normalizeBuiltIn(object: KubeObject): KubeObject {
  if (isCrd(object)) {
    if (at(object, "spec", "preserveUnknownFields") === false) removeAt(object, "spec", "preserveUnknownFields");
    removeAt(object, "status");
    return object;
  }
  return isSecret(object) ? normalizeSecret(object) : normalizeTyped(object);
}

/** The server moves `stringData` into `data`, and data as the server would encode it. */
function normalizeSecret(secret: KubeObject): KubeObject {
  const stringData = textMap(secret, "stringData");
  if (stringData === undefined || Object.keys(stringData).length === 0) return reencode(secret);
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  const data = at(secret, "data");
  setAt(secret, { ...(isObject(data) ? data : {}), ...Object.fromEntries(encoded) }, "data");
  removeAt(secret, "stringData");
  return secret;
}

function reencode(secret: KubeObject): KubeObject {
  const data = at(secret, "data");
  if (!isObject(data)) return secret;
  for (const [key, value] of Object.entries(data)) {
    if (typeof value === "string" && isBase64(value)) data[key] = Buffer.from(value, "base64").toString("base64");
  }
  return secret;
}

/** Strict but for line breaks, as Go's decoder is. */
function isBase64(text: string): boolean {
  const stripped = text.replace(/[\r\n]/g, "");
  return stripped.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(stripped);
}

function textMap(object: KubeObject, field: string): Record<string, string> | undefined {
  const map = at(object, field);
  if (!isObject(map) || !Object.values(map).every((value) => typeof value === "string")) return undefined;
  return map as Record<string, string>;
}
