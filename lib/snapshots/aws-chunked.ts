import { crc32 } from "node:zlib";

/** Content in the form in which S3 takes it while it is still being produced: with a trailing checksum. */
export interface AwsChunked {
  readonly body: AsyncGenerator<Buffer, void>;
  /** How long the body is. */
  readonly bodyBytes: number;
  /** Headers of a request with this body, besides its length. */
  readonly headers: Readonly<Record<string, string>>;
  /** Checksum of the content, as S3 writes it; known once the body has been read to its end. */
  checksum(): string | undefined;
}

/**
 * Encodes content. A piece of the body is overwritten once the next but one is requested: one can be sent while the
 * next is assembled.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 *
 * @param bytes of the content, exactly: with more or fewer the body ends with an error, and nothing is stored
 */
export function awsChunked(content: AsyncIterable<Buffer>, bytes: number): AwsChunked {
  let checksum: string | undefined;
  return { body: body(), bodyBytes: encodedBytes(bytes), headers: headers(bytes), checksum: () => checksum };

  async function* body() {
    let [seen, sum] = [0, 0];
    for await (const { framed, data } of chunks(content)) {
      seen += data.length;
      if (seen > bytes) break;
      sum = crc32(data, sum);
      yield framed;
    }
    if (seen !== bytes) throw new Error(`${seen > bytes ? "more" : "fewer"} bytes came than the ${bytes} that were to`);
    checksum = encodedSum(sum);
    yield Buffer.from(ending(checksum));
  }
}

/** Servers want at least 8 KiB in all chunks but the last, and some at most 16 MiB. */
const chunkBytes = 2 ** 20;
/** A chunk is its length in hexadecimal, this, its data, and this again. */
const crlf = "\r\n";
const lengthLine = (length: number) => length.toString(16) + crlf;
const longestLine = lengthLine(chunkBytes).length;

const trailer = "x-amz-checksum-crc32";
const ending = (checksum: string) => `${lengthLine(0)}${trailer}:${checksum}${crlf}${crlf}`;

function headers(bytes: number) {
  return {
    "content-encoding": "aws-chunked",
    "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
    "x-amz-decoded-content-length": String(bytes),
    "x-amz-sdk-checksum-algorithm": "CRC32",
    "x-amz-trailer": trailer,
  };
}

function encodedBytes(bytes: number): number {
  const framed = (length: number) => lengthLine(length).length + length + crlf.length;
  const rest = bytes % chunkBytes;
  return (
    ((bytes - rest) / chunkBytes) * framed(chunkBytes) + (rest > 0 ? framed(rest) : 0) + ending(encodedSum(0)).length
  );
}

function encodedSum(sum: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(sum);
  return bytes.toString("base64");
}

interface Chunk {
  readonly framed: Buffer;
  readonly data: Buffer;
}

/** Full chunks, alternating between two buffers into which the content is copied; the last may be shorter. */
async function* chunks(content: AsyncIterable<Buffer>): AsyncGenerator<Chunk, void> {
  const room = () => Buffer.allocUnsafeSlow(longestLine + chunkBytes + crlf.length);
  let [filling, other, length] = [room(), room(), 0];
  const end = (): Chunk => {
    const line = lengthLine(length);
    const from = longestLine - line.length;
    const to = longestLine + length;
    filling.write(line, from, "latin1");
    filling.write(crlf, to, "latin1");
    const chunk = { framed: filling.subarray(from, to + crlf.length), data: filling.subarray(longestLine, to) };
    [filling, other, length] = [other, filling, 0];
    return chunk;
  };
  for await (const piece of content) {
    for (let at = 0; at < piece.length;) {
      const taken = Math.min(piece.length - at, chunkBytes - length);
      piece.copy(filling, longestLine + length, at, at + taken);
      at += taken;
      length += taken;
      if (length === chunkBytes) yield end();
    }
  }
  if (length > 0) yield end();
}
