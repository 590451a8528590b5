import { randomBytes as generate } from "node:crypto";
import { atLeast } from "../bridge/checks.ts";
import type { BridgedResource } from "../bridge/schema.ts";
import { decodeBase64 } from "./base64.ts";
import { importError } from "./import-error.ts";
import { output } from "./output.ts";

/** https://github.com/hashicorp/terraform-provider-random/blob/v3.9.0/internal/provider/resource_bytes.go */
export const randomBytes: BridgedResource = {
  attributes: {
    keepers: { kind: "string-map", replace: true },
    length: {
      kind: "integer",
      required: "The number of bytes requested. The minimum value for length is 1.",
      replace: true,
      check: atLeast(1),
    },
    base64: { ...output, sensitive: true },
    hex: { ...output, sensitive: true },
  },
  id: (state) => state["base64"] as string,
  async create(planned) {
    const bytes = generate(planned["length"] as number);
    return { ...planned, base64: bytes.toString("base64"), hex: bytes.toString("hex") };
  },
  import(id) {
    try {
      const bytes = decodeBase64(id, "std");
      return { length: bytes.length, base64: id, hex: bytes.toString("hex") };
    } catch (error) {
      throw importError(
        "bytes",
        "There was an error during the parsing of the base64 string.\n\n",
        (error as Error).message,
      );
    }
  },
};
