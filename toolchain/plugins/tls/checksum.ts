import { createHash } from "node:crypto";

/** What Go takes for white space at the end of bytes it reads as UTF-8. */
const TRAILING_SPACE =
  /(?:[\t\n\v\f\r ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)+$/;

/**
 * The id of keys and requests: SHA-1 in hexadecimal. The provider takes the bytes for a text and trims it first
 * (hashForState in https://github.com/hashicorp/terraform-provider-tls/blob/main/internal/provider/common.go).
 */
export function checksum(der: Buffer): string {
  const trimmed = Buffer.from(der.toString("latin1").replace(TRAILING_SPACE, ""), "latin1");
  return createHash("sha1").update(trimmed).digest("hex");
}
