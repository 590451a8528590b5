import { randomBytes } from "node:crypto";
import type { BridgedResource } from "../bridge/schema.ts";
import { importError } from "./import-error.ts";
import { keepers } from "./keepers.ts";
import { output } from "./output.ts";

/**
 * Sixteen random bytes written as a UUID; the provider sets neither version nor variant.
 * https://github.com/hashicorp/terraform-provider-random/blob/v3.9.0/internal/provider/resource_uuid.go
 */
export const randomUuid: BridgedResource = {
  attributes: { keepers, result: output, id: output },
  async create(planned) {
    const uuid = format(randomBytes(16));
    return { ...planned, id: uuid, result: uuid };
  },
  import(id) {
    const uuid = format(parse(id));
    return { id: uuid, result: uuid };
  },
};

function format(bytes: Buffer): string {
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** As https://github.com/hashicorp/go-uuid reads it. */
function parse(text: string): Buffer {
  const bad = (original: string) =>
    importError("UUID", "There was an error during the parsing of the UUID.\n\n", original);
  if (text.length !== 36) throw bad("uuid string is wrong length");
  if ([8, 13, 18, 23].some((position) => text[position] !== "-")) throw bad("uuid is improperly formatted");
  const hex = [text.slice(0, 8), text.slice(9, 13), text.slice(14, 18), text.slice(19, 23), text.slice(24)].join("");
  const wrong = /[^0-9a-fA-F]/.exec(hex)?.[0];
  if (wrong !== undefined) {
    const code = wrong.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    throw bad(`encoding/hex: invalid byte: U+${code} '${wrong}'`);
  }
  return Buffer.from(hex, "hex");
}
