/**
 * Property values on the wire: google.protobuf.Struct with the engine's signatures for what JSON cannot say.
 * https://github.com/pulumi/pulumi/blob/v3.259.0/sdk/go/common/resource/plugin/rpc.go
 */
import structPb from "google-protobuf/google/protobuf/struct_pb.js";
import type { ListValue, Struct, Value as WireValue } from "google-protobuf/google/protobuf/struct_pb.js";
import { unknownValue } from "../../pulumi/unknown-value.ts";
import { Archive, Asset, isList, ResourceReference, Secret, Unknown } from "./values.ts";
import type { Properties, UnknownKind, Value } from "./values.ts";

/** The key that says a map is not a map. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const ASSET = "c44067f5952c0a294b673a41bacd8c17";
const ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7";
const RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

const UNKNOWNS: Readonly<Record<UnknownKind, string>> = {
  string: unknownValue,
  boolean: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  number: "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  array: "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  object: "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
  asset: "030794c1-ac77-496b-92df-f27374a8bd58",
  archive: "e48ece36-62e2-4504-bad9-02848725956a",
};
const unknowns = new Map(Object.entries(UNKNOWNS).map(([kind, text]) => [text, new Unknown(kind as UnknownKind)]));

/** Reads the properties of a request; a request without any has none. */
export function decode(struct: Struct | undefined): Properties {
  const properties: Record<string, Value> = {};
  struct?.getFieldsMap().forEach((value: WireValue, key: string) => (properties[key] = fromWire(value)));
  return properties;
}

/** Writes properties for a response or request. */
export function encode(properties: Properties): Struct {
  const struct = new structPb.Struct();
  const fields = struct.getFieldsMap();
  for (const [key, value] of Object.entries(properties)) if (value !== undefined) fields.set(key, toWire(value));
  return struct;
}

function fromWire(value: WireValue): Value {
  const { KindCase } = structPb.Value;
  switch (value.getKindCase()) {
    case KindCase.STRING_VALUE: {
      const text = value.getStringValue();
      return unknowns.get(text) ?? text;
    }
    case KindCase.NUMBER_VALUE:
      return value.getNumberValue();
    case KindCase.BOOL_VALUE:
      return value.getBoolValue();
    case KindCase.LIST_VALUE:
      return (value.getListValue() as ListValue).getValuesList().map(fromWire);
    case KindCase.STRUCT_VALUE:
      return fromMap(decode(value.getStructValue()));
    default:
      return null;
  }
}

function fromMap(map: Properties): Value {
  switch (map[SIGNATURE]) {
    case undefined:
      return map;
    case SECRET:
      return new Secret(map["value"]);
    case ASSET:
      return new Asset(content(map, ["text", "path", "uri"]) as Asset["content"], hash(map));
    case ARCHIVE:
      return new Archive(content(map, ["assets", "path", "uri"]) as Archive["content"], hash(map));
    case RESOURCE:
      return new ResourceReference(
        map["urn"] as string,
        map["id"],
        (map["packageVersion"] as string | undefined) ?? "",
      );
    case OUTPUT: {
      const value = "value" in map ? map["value"] : new Unknown();
      return map["secret"] === true ? new Secret(value) : value;
    }
    default:
      throw new Error(`property value: unknown signature ${JSON.stringify(map[SIGNATURE])}`);
  }
}

/** The one way an asset or archive says what is in it. */
function content(map: Properties, keys: readonly string[]): Properties {
  const key = keys.find((each) => map[each] !== undefined && map[each] !== "") ?? keys[0]!;
  return { [key]: map[key] ?? (key === "assets" ? {} : "") };
}

function hash(map: Properties): string | undefined {
  return (map["hash"] as string | undefined) || undefined;
}

function toWire(value: Value): WireValue {
  const wire = new structPb.Value();
  if (value === null || value === undefined) return wire.setNullValue(structPb.NullValue.NULL_VALUE);
  if (typeof value === "string") return wire.setStringValue(value);
  if (typeof value === "number") return wire.setNumberValue(value);
  if (typeof value === "boolean") return wire.setBoolValue(value);
  if (isList(value)) return wire.setListValue(new structPb.ListValue().setValuesList(value.map(toWire)));
  if (value instanceof Unknown) return wire.setStringValue(UNKNOWNS[value.of]);
  return wire.setStructValue(encode(toMap(value)));
}

function toMap(value: Secret | Asset | Archive | ResourceReference | Properties): Properties {
  if (value instanceof Secret) return { [SIGNATURE]: SECRET, value: value.value ?? null };
  if (value instanceof Asset) return { [SIGNATURE]: ASSET, hash: value.hash, ...value.content };
  if (value instanceof Archive) return { [SIGNATURE]: ARCHIVE, hash: value.hash, ...value.content };
  if (value instanceof ResourceReference) {
    return { [SIGNATURE]: RESOURCE, urn: value.urn, id: value.id, packageVersion: value.packageVersion };
  }
  return value;
}
