/**
 * Property values as a plugin sees them: plain JavaScript, with classes for what JSON cannot say.
 * wire.ts turns them into protobuf and back.
 */

/** A value the engine encrypts in the state and hides on screen. */
export class Secret {
  readonly value: Value;
  constructor(value: Value) {
    this.value = value;
  }
}

/** A value not known before the deployment runs. */
export class Unknown {
  /** What the value will be, as far as the engine said; kept so that it goes back as it came. */
  readonly of: UnknownKind;
  constructor(of: UnknownKind = "string") {
    this.of = of;
  }
}
export type UnknownKind = "string" | "boolean" | "number" | "array" | "object" | "asset" | "archive";

/** The value to return for what a preview cannot tell. */
export const UNKNOWN = new Unknown();

/** A file: exactly one of text, path and uri. */
export class Asset {
  readonly content: { readonly text: string } | { readonly path: string } | { readonly uri: string };
  /** SHA-256 in hexadecimal, as the engine computed it. */
  readonly hash: string | undefined;
  constructor(content: Asset["content"], hash?: string) {
    this.content = content;
    this.hash = hash;
  }
}

/** A directory or archive file, or a map of relative paths to assets and archives. */
export class Archive {
  readonly content:
    | { readonly assets: Readonly<Record<string, Asset | Archive>> }
    | { readonly path: string }
    | { readonly uri: string };
  readonly hash: string | undefined;
  constructor(content: Archive["content"], hash?: string) {
    this.content = content;
    this.hash = hash;
  }
}

/** A resource passed as a value. */
export class ResourceReference {
  readonly urn: string;
  readonly id: Value | undefined;
  readonly packageVersion: string;
  constructor(urn: string, id: Value | undefined, packageVersion: string) {
    this.urn = urn;
    this.id = id;
    this.packageVersion = packageVersion;
  }
}

/** `undefined` never arrives from the engine; a property given back as `undefined` is left out. */
export type Value =
  | null
  | undefined
  | boolean
  | number
  | string
  | readonly Value[]
  | { readonly [key: string]: Value }
  | Secret
  | Unknown
  | Asset
  | Archive
  | ResourceReference;

/** The inputs or outputs of a resource. */
export type Properties = { readonly [key: string]: Value };

/** Whether it is a map, and none of the classes above. */
export function isMap(value: Value): value is Properties {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !classes.some((each) => value instanceof each)
  );
}
const classes = [Secret, Unknown, Asset, Archive, ResourceReference];

/** Whether it is a list. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** The value with every Secret in it opened. Never log or store what comes out. */
export function reveal(value: Properties): Properties;
export function reveal(value: Value): Value;
export function reveal(value: Value): Value {
  if (value instanceof Secret) return reveal(value.value);
  if (isList(value)) return value.map((each) => reveal(each));
  if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, reveal(each)]));
  return value;
}

/** Whether any part of the value is not known yet. */
export function hasUnknown(value: Value): boolean {
  return some(value, (each) => each instanceof Unknown);
}

/** Whether any part of the value is secret. */
export function hasSecret(value: Value): boolean {
  return some(value, (each) => each instanceof Secret);
}

/** Marks a value as secret; one that is already secret stays as it is. */
export function secret(value: Value): Secret {
  return value instanceof Secret ? value : new Secret(value);
}

function some(value: Value, test: (value: Value) => boolean): boolean {
  if (test(value)) return true;
  if (value instanceof Secret) return some(value.value, test);
  if (isList(value)) return value.some((each) => some(each, test));
  return isMap(value) && Object.values(value).some((each) => some(each, test));
}
