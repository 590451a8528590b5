import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { awsChunked } from "../../../lib/snapshots/aws-chunked.ts";
import { contentOf } from "./support.ts";

/** Read as a server reads it. */
function decoded(body: Buffer) {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const end = body.indexOf("\r\n", at);
    const length = parseInt(body.toString("latin1", at, end), 16);
    if (length === 0) return { chunks, trailer: body.toString("latin1", end + 2) };
    chunks.push(body.subarray(end + 2, end + 2 + length));
    at = end + 2 + length;
    expect(body.toString("latin1", at, at + 2)).toBe("\r\n");
    at += 2;
  }
}

/** Its pieces are overwritten as it goes on. */
async function copyOf(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of content) all.push(Buffer.from(piece));
  return Buffer.concat(all);
}

test.each([
  [0, 10],
  [1, 10],
  [2 ** 20, 48],
  [2 ** 20 + 1, 100_000],
  [5 * 2 ** 20 - 1, 3 * 2 ** 20],
])(
  "%i bytes in pieces of %i: whole chunks, the checksum behind them, and as long as announced",
  async (bytes, size) => {
    const content = randomBytes(bytes);
    const { body, bodyBytes, headers, checksum } = awsChunked(contentOf(content, size), bytes);
    expect(checksum()).toBeUndefined();
    const all = await copyOf(body);
    expect(all).toHaveLength(bodyBytes);
    const { chunks, trailer } = decoded(all);
    expect(Buffer.concat(chunks).equals(content)).toBe(true);
    for (const chunk of chunks.slice(0, -1)) expect(chunk).toHaveLength(2 ** 20);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(content));
    expect(checksum()).toBe(sum.toString("base64"));
    expect(trailer).toBe(`x-amz-checksum-crc32:${checksum()}\r\n\r\n`);
    expect(headers).toMatchObject({
      "x-amz-decoded-content-length": String(bytes),
      "x-amz-trailer": "x-amz-checksum-crc32",
    });
  },
);

test.each([
  [11, "fewer bytes came than the 11 that were to"],
  [9, "more bytes came than the 9 that were to"],
])("of ten bytes announced as %i the end is missing", async (announced, message) => {
  const { body, checksum } = awsChunked(contentOf(Buffer.alloc(10)), announced);
  await expect(copyOf(body)).rejects.toThrow(message);
  expect(checksum()).toBeUndefined();
});
