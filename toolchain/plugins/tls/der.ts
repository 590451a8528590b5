/** DER (X.690), as far as certificates need it: every function makes one element. */

const element = (tag: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([tag, ...length(content.length)]), content]);

export const sequence = (...parts: Uint8Array[]): Buffer => element(0x30, Buffer.concat(parts));
export const octetString = (content: Uint8Array): Buffer => element(0x04, content);
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]));
export const nothing: Buffer = element(0x05, Buffer.alloc(0));
export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text));
export const printableString = (text: string): Buffer => element(0x13, Buffer.from(text, "latin1"));
export const ia5String = (text: string): Buffer => element(0x16, Buffer.from(text, "latin1"));
/** `[number]` around whole elements. */
export const explicit = (number: number, ...parts: Uint8Array[]): Buffer =>
  element(0xa0 | number, Buffer.concat(parts));
/** `[number]` in place of a primitive element's tag. */
export const implicit = (number: number, content: Uint8Array): Buffer => element(0x80 | number, content);

/** In ascending order of their encodings, as DER wants sets. */
export const set = (...parts: Buffer[]): Buffer => element(0x31, Buffer.concat(parts.toSorted(Buffer.compare)));

/** A number that is not negative. */
export function integer(value: bigint | number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return element(0x02, bytes[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** @param unusedBits of the last byte */
export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.from([unusedBits]), content]));
}

/** @param dotted for instance `2.5.4.3` */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** To the second; years from 2050 on have four digits. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]/g, "").replace(/\..*$/, "Z");
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits));
}

function length(size: number): number[] {
  if (size < 0x80) return [size];
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
