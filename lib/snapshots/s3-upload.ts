import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";

/** How an upload calls the server, so that its errors are told from those of the content. */
export type Asking = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Stores content in parts while it arrives: all of it, or nothing. The signature of each part covers its SHA-256, which
 * the server compares. Parts are assembled in a few reused buffers: AWS's own `Upload` allocates new ones.
 *
 * @param partBytes at least 5 MiB, which S3 wants of all parts but the last
 */
export async function uploadInParts(
  client: S3Client,
  object: CreateMultipartUploadCommandInput,
  content: AsyncIterable<Buffer>,
  { partBytes, asking }: { readonly partBytes: number; readonly asking: Asking },
): Promise<void> {
  const { Bucket, Key } = object;
  // Buckets with retention take nothing without such a checksum; the signature's does not count.
  const checksum = { ChecksumAlgorithm: "CRC32" } as const;
  const { UploadId } = await asking(() => client.send(new CreateMultipartUploadCommand({ ...object, ...checksum })));
  const upload = { Bucket, Key, UploadId };
  const done: CompletedPart[] = [];
  const send = async (Body: Buffer, PartNumber: number) => {
    const command = new UploadPartCommand({ ...upload, ...checksum, PartNumber, Body });
    const { ETag, ChecksumCRC32 } = await asking(() => client.send(command));
    done.push({ PartNumber, ETag, ChecksumCRC32 });
  };
  try {
    await inParts(content, partBytes, send);
    const Parts = done.sort((a, b) => a.PartNumber! - b.PartNumber!);
    await asking(() => client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } })));
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw error;
  }
}

/** For parts: one is being assembled, the others are being sent. With TLS each is in memory twice. */
const buffers = 3;

/** Sends parts, numbered from 1, while the next one is assembled. Returns once none is under way. */
async function inParts(
  content: AsyncIterable<Buffer>,
  bytes: number,
  send: (part: Buffer, number: number) => Promise<void>,
): Promise<void> {
  const free: Buffer[] = Array.from({ length: buffers - 1 }, () => Buffer.allocUnsafeSlow(bytes));
  const underWay: Promise<Buffer>[] = [];
  let part: Buffer = Buffer.allocUnsafeSlow(bytes);
  let [length, number] = [0, 0];
  const hand = async () => {
    const full = part;
    const sending = send(full.subarray(0, length), ++number).then(() => full);
    sending.catch(() => {}); // thrown below
    underWay.push(sending);
    part = free.pop() ?? (await underWay.shift()!);
    length = 0;
  };
  try {
    for await (const piece of content) {
      for (let at = 0; at < piece.length;) {
        const taken = piece.copy(part, length, at);
        at += taken;
        length += taken;
        if (length === bytes) await hand();
      }
    }
    if (length > 0 || number === 0) await hand();
  } finally {
    await Promise.allSettled(underWay);
  }
  await Promise.all(underWay);
}
