/** A block of text between BEGIN and END lines (RFC 7468), 64 characters a line as Go writes it. */
export interface PemBlock {
  /** For instance `EC PRIVATE KEY`. */
  readonly type: string;
  readonly der: Buffer;
}

/** The first block of a text; `undefined` when there is none. */
export function decodePem(text: string): PemBlock | undefined {
  const found = /-----BEGIN ([^\n-]+)-----\r?\n([\s\S]*?)-----END \1-----/.exec(text);
  if (!found) return undefined;
  const [, type, body] = found;
  return { type: type!, der: Buffer.from(body!.replace(/\s/g, ""), "base64") };
}

export function encodePem(type: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ""].join("\n");
}
