import jspb from "google-protobuf";
import type { Field, Message } from "./messages.ts";

type Value = string | boolean | Fields | readonly Value[];
interface Fields {
  readonly [name: string]: Value;
}

/** A message as bytes; as at the JSON gateway, 64-bit numbers are decimal strings and bytes are base64. */
export function encodeMessage(message: Message, value: object): Buffer {
  const writer = new jspb.BinaryWriter();
  write(writer, message, value as Fields);
  return Buffer.from(writer.getResultBuffer());
}

/** The inverse; default values are omitted, and fields that are not in the table are skipped. */
export function decodeMessage(message: Message, bytes: Uint8Array): object {
  return read(new jspb.BinaryReader(bytes), message);
}

function write(writer: jspb.BinaryWriter, { fields }: Message, value: Fields): void {
  for (const [name, each] of Object.entries(value)) {
    const field = fields[name];
    if (field === undefined) throw new Error(`${name}: is no field that is known here`);
    for (const one of field.repeated ? (each as readonly Value[]) : [each]) writeField(writer, field, one);
  }
}

function writeField(writer: jspb.BinaryWriter, { number, kind }: Field, value: Value): void {
  if (kind === "string") writer.writeString(number, value as string);
  else if (kind === "bytes") writer.writeBytes(number, Buffer.from(value as string, "base64"));
  else if (kind === "uint64") writer.writeUint64String(number, value as string);
  else if (kind === "int64") writer.writeInt64String(number, value as string);
  else if (kind === "bool") writer.writeBool(number, value as boolean);
  else if ("names" in kind) writer.writeEnum(number, kind.names.indexOf(value as string));
  else writer.writeMessage(number, value, () => write(writer, kind, value as Fields));
}

function read(reader: jspb.BinaryReader, { fields }: Message): Fields {
  const byNumber = new Map(Object.entries(fields).map(([name, field]) => [field.number, { name, field }]));
  const found: Record<string, Value> = {};
  while (reader.nextField() && !reader.isEndGroup()) {
    const known = byNumber.get(reader.getFieldNumber());
    if (known === undefined) reader.skipField();
    else {
      const { name, field } = known;
      const value = readField(reader, field);
      found[name] = field.repeated ? [...((found[name] ?? []) as readonly Value[]), value] : value;
    }
  }
  return found;
}

function readField(reader: jspb.BinaryReader, { kind }: Field): Value {
  if (kind === "string") return reader.readString();
  if (kind === "bytes") return Buffer.from(reader.readBytes() as Uint8Array).toString("base64");
  if (kind === "uint64") return reader.readUint64String();
  if (kind === "int64") return reader.readInt64String();
  if (kind === "bool") return reader.readBool();
  if ("names" in kind) {
    const number = reader.readEnum();
    return kind.names[number] ?? String(number);
  }
  let value: Fields = {};
  reader.readMessage({} as never, () => (value = read(reader, kind)));
  return value;
}
