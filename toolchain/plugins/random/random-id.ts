import { randomBytes } from "node:crypto";
import type { BridgedResource, State } from "../bridge/schema.ts";
import { decodeBase64 } from "./base64.ts";
import { importError } from "./import-error.ts";
import { keepers } from "./keepers.ts";
import { output } from "./output.ts";

/** https://github.com/hashicorp/terraform-provider-random/blob/v3.9.0/internal/provider/resource_id.go */
export const randomId: BridgedResource = {
  attributes: {
    keepers,
    byteLength: {
      kind: "integer",
      required:
        "The number of random bytes to produce. The minimum value is 1, which produces eight bits of randomness.",
      replace: true,
    },
    prefix: { kind: "string", replace: true },
    b64Url: output,
    b64Std: output,
    hex: output,
    dec: output,
    id: output,
  },
  async create(planned) {
    return {
      ...planned,
      ...formats(randomBytes(planned["byteLength"] as number), (planned["prefix"] as string) ?? ""),
    };
  },
  /** `PREFIX,ID` or `ID`. */
  import(text) {
    const separator = text.lastIndexOf(",");
    const [prefix, id] = [text.slice(0, Math.max(separator, 0)), text.slice(separator + 1)];
    try {
      const bytes = decodeBase64(id, "raw-url");
      return { byteLength: bytes.length, ...(prefix && { prefix }), ...formats(bytes, prefix) };
    } catch (error) {
      throw importError(
        "ID",
        "While attempting to import a random id there was a decoding error.\n\n+",
        (error as Error).message,
      );
    }
  },
};

function formats(bytes: Buffer, prefix: string): State {
  const hex = bytes.toString("hex");
  const id = bytes.toString("base64url");
  return {
    id,
    b64Url: prefix + id,
    b64Std: prefix + bytes.toString("base64"),
    hex: prefix + hex,
    dec: prefix + BigInt(`0x${hex || "0"}`).toString(),
  };
}
