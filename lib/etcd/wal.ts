import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

/**
 * The cluster whose data lie in a data directory, hexadecimal, read from the beginning of its write-ahead log without any
 * etcd. Undefined when there are no data, or none that can be read.
 *
 * The layout is that of etcd's `server/storage/wal`: every file begins with a checksum record and one that names the member
 * and its cluster (`walpb.Record` of type 1 with an `etcdserverpb.Metadata`), each after its length in 8 bytes.
 */
export function clusterIdOfData(dataDirectory: string): string | undefined {
  try {
    const directory = join(dataDirectory, "member", "wal");
    const [first] = readdirSync(directory)
      .filter((name) => name.endsWith(".wal"))
      .sort();
    return first === undefined ? undefined : clusterIdOfLog(beginning(join(directory, first)));
  } catch {
    return undefined;
  }
}

/**
 * The cluster that a write-ahead log is of, hexadecimal, from the beginning of its first file; undefined when that
 * cannot be read.
 */
export function clusterIdOfLog(log: Buffer): string | undefined {
  try {
    return clusterIdIn(log);
  } catch {
    return undefined;
  }
}

const metadataType = 1n;
const lengthBytes = 8;
/** The two records take less than 100 bytes. */
export const shownBytes = 4096;

function clusterIdIn(wal: Buffer): string | undefined {
  for (let at = 0; at + lengthBytes <= wal.length;) {
    const field = wal.readBigUInt64LE(at);
    // The highest byte tells how many bytes of the record are padding.
    const padding = field >> 63n === 1n ? Number((field >> 56n) & 0x7n) : 0;
    const size = Number(field & 0xff_ffff_ffff_ffffn);
    const end = at + lengthBytes + size;
    if (size === 0 || end > wal.length) return undefined;
    const record = fieldsOf(wal.subarray(at + lengthBytes, end));
    const data = record.get(3);
    if (record.get(1) === metadataType && data instanceof Buffer) {
      const id = fieldsOf(data).get(2);
      return typeof id === "bigint" ? id.toString(16) : undefined;
    }
    at = end + padding;
  }
  return undefined;
}

/** The number and bytes fields of a protobuf message, the only kinds these have. */
function fieldsOf(message: Buffer): Map<number, bigint | Buffer> {
  const fields = new Map<number, bigint | Buffer>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const key = Number(varint());
    if ((key & 7) === 0) fields.set(key >> 3, varint());
    else if ((key & 7) === 2) {
      const length = Number(varint());
      fields.set(key >> 3, message.subarray(at, at + length));
      at += length;
    } else throw new Error(`a field of wire type ${key & 7}`);
  }
  return fields;
}

function beginning(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(shownBytes);
    return buffer.subarray(0, readSync(file, buffer, 0, shownBytes, 0));
  } finally {
    closeSync(file);
  }
}
