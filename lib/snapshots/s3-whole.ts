import { Readable } from "node:stream";
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from "@aws-sdk/client-s3";
import { awsChunked } from "./aws-chunked.ts";

/** What S3 takes in one request: 5 GiB. */
export const mostAtOnce = 5 * 2 ** 30;

/** A server can refuse before any content is read. */
const asksFirst = { Expect: "100-continue" };

/**
 * Stores content in one request as it arrives: all of it, or nothing. A server that keeps objects as files has no parts
 * to assemble then, and no byte is hashed for a signature: the server verifies the trailing checksum, and returns it.
 * If it fails, the content has been consumed as far as it got.
 *
 * @param bytes of the content, exactly, and at most {@link mostAtOnce}
 */
export async function uploadWhole(
  client: S3Client,
  object: PutObjectCommandInput,
  content: AsyncIterable<Buffer>,
  bytes: number,
): Promise<void> {
  const { body, bodyBytes, headers, checksum } = awsChunked(content, bytes);
  const Body = Readable.from(body, { objectMode: false, highWaterMark: 1 });
  const aborting = new AbortController();
  let failure: Error | undefined;
  Body.once("error", (error) => {
    failure = error;
    aborting.abort();
  });
  const command = new PutObjectCommand({ ...object, Body, ContentLength: bodyBytes });
  command.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: Record<string, string> }).headers, headers, asksFirst);
      return next(args);
    },
    { step: "build" },
  );
  try {
    const { ChecksumCRC32 } = await client.send(command, { abortSignal: aborting.signal });
    if (ChecksumCRC32 !== checksum())
      throw new Error(`the server has the checksum ${ChecksumCRC32}, want ${checksum()}`);
  } catch (error) {
    throw failure ?? error;
  } finally {
    Body.destroy();
    aborting.abort();
  }
}
