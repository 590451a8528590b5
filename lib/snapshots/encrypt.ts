import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/**
 * Encrypted data: a header of 16 known bytes and 32 random ones, then frames of 1 MiB of the plain data, each encrypted by
 * AES-256-GCM with its tag of 16 bytes behind it; the last one is shorter, perhaps empty. Every file has a key of its own,
 * made by HKDF-SHA-256 from the operator's key and the random bytes; a frame's nonce is its number and whether it is the
 * last. So it streams, and a changed, moved, missing or added byte is found (the STREAM construction of Hoang, Reyhanitabar,
 * Rogaway and Vizár, https://eprint.iacr.org/2015/189).
 */
const magic = Buffer.from("karmada-snap-v1\n");
const saltBytes = 32;
const frameBytes = 2 ** 20;
const tagBytes = 16;
const algorithm = "aes-256-gcm";

/** Encrypts with a key of 32 bytes. */
export async function* encrypted(content: AsyncIterable<Buffer>, key: Buffer): AsyncGenerator<Buffer, void> {
  const salt = randomBytes(saltBytes);
  const fileKey = derived(key, salt);
  yield Buffer.concat([magic, salt]);
  for await (const { frame, number, last } of frames(content, frameBytes)) {
    const cipher = createCipheriv(algorithm, fileKey, nonce(number, last));
    yield Buffer.concat([cipher.update(frame), cipher.final(), cipher.getAuthTag()]);
  }
}

/**
 * The plain data.
 * @throws at the first frame that was altered; everything yielded before it is intact
 */
export async function* decrypted(content: AsyncIterable<Buffer>, key: Buffer): AsyncGenerator<Buffer, void> {
  let fileKey: Buffer | undefined;
  for await (const { frame, number, last, header } of frames(
    content,
    frameBytes + tagBytes,
    magic.length + saltBytes,
  )) {
    if (!header.subarray(0, magic.length).equals(magic)) throw new Error("it is not an encrypted snapshot");
    fileKey ??= derived(key, header.subarray(magic.length));
    yield opened(frame, fileKey, number, last);
  }
}

/** The encrypted size of that many bytes. */
export function encryptedBytes(plain: number): number {
  const full = Math.floor(plain / frameBytes);
  return magic.length + saltBytes + plain + (full + 1) * tagBytes;
}

function opened(frame: Buffer, key: Buffer, number: number, last: boolean): Buffer {
  try {
    const cut = frame.length - tagBytes;
    const decipher = createDecipheriv(algorithm, key, nonce(number, last));
    decipher.setAuthTag(frame.subarray(cut));
    return Buffer.concat([decipher.update(frame.subarray(0, cut)), decipher.final()]);
  } catch (error) {
    const what = number === 0 ? "the key is another one, or its beginning was damaged" : "it was damaged or cut off";
    throw new Error(`decrypting, at byte ${number * frameBytes}: ${what}`, { cause: error });
  }
}

interface Frame {
  readonly header: Buffer;
  readonly frame: Buffer;
  readonly number: number;
  /** Shorter than the others. */
  readonly last: boolean;
}

/**
 * Cuts a stream into a header and frames of a size, each of which is overwritten once the next one is requested. The
 * last frame is always shorter.
 */
async function* frames(content: AsyncIterable<Buffer>, size: number, headerBytes = 0): AsyncGenerator<Frame, void> {
  const header = Buffer.alloc(headerBytes);
  const frame = Buffer.allocUnsafeSlow(size);
  let [inHeader, length, number] = [0, 0, 0];
  for await (const chunk of content) {
    let at = chunk.copy(header, inHeader);
    inHeader += at;
    while (at < chunk.length) {
      const taken = chunk.copy(frame, length, at);
      at += taken;
      length += taken;
      if (length < size) break;
      yield { header, frame, number: number++, last: false };
      length = 0;
    }
  }
  yield { header: header.subarray(0, inHeader), frame: frame.subarray(0, length), number, last: true };
}

const derived = (key: Buffer, salt: Buffer) => Buffer.from(hkdfSync("sha256", key, salt, magic, 32));

/** 11 bytes of number, one that says whether it is the last. */
function nonce(number: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(number, 5, 6);
  bytes[11] = last ? 1 : 0;
  return bytes;
}
