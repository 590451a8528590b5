/** One DER element that was read. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length. */
  readonly encoded: Buffer;
}

/**
 * The element at the start of `bytes`.
 * @throws Error when it is cut short or has an indefinite length
 */
export function readElement(bytes: Buffer): Element {
  const tag = bytes[0];
  const first = bytes[1];
  if (tag === undefined || first === undefined) throw new Error("asn1: syntax error: data truncated");
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > 4) throw new Error("asn1: syntax error: length not supported");
  const start = 2 + lengthBytes;
  const size = lengthBytes === 0 ? first : bytes.subarray(2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  const encoded = bytes.subarray(0, start + size);
  if (encoded.length < start + size) throw new Error("asn1: syntax error: data truncated");
  return { tag, content: encoded.subarray(start), encoded };
}

/** The elements inside one. */
export function children({ content }: { readonly content: Buffer }): Element[] {
  const elements: Element[] = [];
  for (let rest = content; rest.length > 0;) {
    const element = readElement(rest);
    elements.push(element);
    rest = rest.subarray(element.encoded.length);
  }
  return elements;
}

/** `2.5.4.3` */
export function readObjectIdentifier({ content }: Element): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(value);
      value = 0;
    }
  }
  const [head = 0, ...rest] = numbers;
  const first = Math.min(Math.floor(head / 40), 2);
  return [first, head - first * 40, ...rest].join(".");
}
