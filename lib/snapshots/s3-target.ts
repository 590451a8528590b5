import type { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { abandoned, type Files, type FileThere, listingOf, look } from "./listing.ts";
import { filesOf, idOfFile, type Manifest, manifestFile, manifestText, unfinishedFile } from "./manifest.ts";
import { s3Client } from "./s3-client.ts";
import { s3Error } from "./s3-error.ts";
import { uploadInParts } from "./s3-upload.ts";
import { mostAtOnce, uploadWhole } from "./s3-whole.ts";
import { type SnapshotTarget, WantedAgain } from "./target.ts";
import type { S3Settings } from "./target-settings.ts";
import { s3Prefix, targetName, targetUri } from "./target-uri.ts";

/**
 * A bucket, through AWS's SDK. Data are sent as they arrive, with checksums that the server verifies, and appear in the
 * bucket once they are complete: in one request, which is quicker, until one has failed, and from then on in parts,
 * each retried by itself. Parts left by a killed run have to be dropped by the bucket (a lifecycle rule for incomplete
 * multipart uploads).
 */
export class S3Target implements SnapshotTarget {
  readonly uri: string;
  readonly name: string;
  readonly #client: S3Client;
  readonly #settings: S3Settings;
  readonly #prefix: string;
  /** Set once a single request has failed: the network is not good enough, or the server cannot do it. */
  #inParts = false;

  constructor(settings: S3Settings, deployment: string) {
    this.#settings = settings;
    this.#prefix = `${s3Prefix(settings, deployment)}/`;
    this.uri = targetUri(settings, deployment);
    this.name = targetName(settings, deployment);
    this.#client = s3Client(settings);
  }

  /** A bucket has no limit that could be queried. */
  async prepare(): Promise<void> {
    const files = await this.#saying("looking into the bucket", () => this.#files(""));
    for (const id of abandoned(files)) {
      if (files.there.has(manifestFile(id))) await this.#delete(id, [unfinishedFile(id)]);
      else await this.remove(id);
    }
  }

  async put(file: string, content: AsyncIterable<Buffer>, bytes: number): Promise<void> {
    const id = idOfFile(file);
    const unfinished = { ...this.#object(unfinishedFile(id)), Body: "begun", ...small, ...this.#encryption };
    const doing = `uploading ${file}`;
    await this.#saying(doing, () => this.#client.send(new PutObjectCommand(unfinished)));
    try {
      if (!this.#inParts && bytes <= mostAtOnce) await this.#putWhole(file, content, bytes);
      else await this.#putInParts(file, content, bytes);
    } catch (error) {
      await this.#delete(id, [unfinishedFile(id)]).catch(() => {});
      throw error;
    }
  }

  async commit(manifest: Manifest): Promise<void> {
    const written = {
      ...this.#object(manifestFile(manifest.id)),
      Body: manifestText(manifest),
      ContentType: "application/json",
      ...small,
      ...this.#encryption,
    };
    await this.#saying(`writing the manifest of ${manifest.id}`, () =>
      this.#client.send(new PutObjectCommand(written)),
    );
    await this.#delete(manifest.id, [unfinishedFile(manifest.id)]);
  }

  async get(file: string): Promise<Readable> {
    const { Body } = await this.#saying(`reading ${file}`, () =>
      this.#client.send(new GetObjectCommand(this.#object(file))),
    );
    return Body as Readable;
  }

  async list() {
    return this.#saying("listing", async () => listingOf(await this.#files("")));
  }

  async head(id: string) {
    return this.#saying(`looking for ${id}`, async () => look(id, await this.#files(id)));
  }

  async remove(id: string): Promise<void> {
    await this.#delete(id, filesOf(id));
  }

  path(): undefined {
    return undefined;
  }

  close(): void {
    this.#client.destroy();
  }

  /** If it fails before any content was read, it is done in parts at once. */
  async #putWhole(file: string, content: AsyncIterable<Buffer>, bytes: number): Promise<void> {
    let begun = false;
    let failure: unknown;
    const watched = async function* () {
      begun = true;
      try {
        yield* content;
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    try {
      await uploadWhole(this.#client, { ...this.#object(file), ...this.#encryption }, watched(), bytes);
    } catch (error) {
      if (failure !== undefined) throw failure;
      this.#inParts = true;
      if (!begun) return this.#putInParts(file, content, bytes);
      const { fault, message } = s3Error(this.uri, `uploading ${file}`, error);
      throw new WantedAgain(fault, message, { cause: error });
    }
  }

  async #putInParts(file: string, content: AsyncIterable<Buffer>, bytes: number): Promise<void> {
    const partBytes = Math.max(smallestPart, Math.ceil(bytes / mostParts));
    const asking = <T>(work: () => Promise<T>) => this.#saying(`uploading ${file}`, work);
    const object = { ...this.#object(file), ...this.#encryption };
    await uploadInParts(this.#client, object, content, { partBytes, asking });
  }

  /** In this order. */
  async #delete(id: string, files: readonly string[]): Promise<void> {
    await this.#saying(`removing ${id}`, async () => {
      for (const file of files) await this.#client.send(new DeleteObjectCommand(this.#object(file)));
    });
  }

  get #bucket() {
    return { Bucket: this.#settings.bucket };
  }

  get #encryption() {
    const { serverSideEncryption, kmsKeyId } = this.#settings;
    return {
      ...(serverSideEncryption !== undefined && { ServerSideEncryption: serverSideEncryption }),
      ...(kmsKeyId !== undefined && { SSEKMSKeyId: kmsKeyId }),
    };
  }

  #object(file: string) {
    return { ...this.#bucket, Key: this.#prefix + file };
  }

  async #files(beginning: string): Promise<Files> {
    const there = new Map<string, FileThere>();
    let more: string | undefined;
    do {
      const { Contents, NextContinuationToken } = await this.#client.send(
        new ListObjectsV2Command({
          ...this.#bucket,
          Prefix: this.#prefix + beginning,
          ...(more !== undefined && { ContinuationToken: more }),
        }),
      );
      for (const { Key = "", Size: bytes = 0, LastModified } of Contents ?? []) {
        const writtenAt = LastModified?.getTime() ?? Date.now();
        there.set(Key.slice(this.#prefix.length), { bytes, writtenAt });
      }
      more = NextContinuationToken;
    } while (more !== undefined);
    return { there, text: (file) => this.#text(file) };
  }

  /** The SDK retries a request, but not a response body that broke off. */
  async #text(file: string): Promise<string> {
    for (let left = readings; ; left--) {
      try {
        const { Body } = await this.#client.send(new GetObjectCommand(this.#object(file)));
        return (await Body?.transformToString()) ?? "";
      } catch (error) {
        const { message } = error as Error;
        // It was read, and differs from what was written.
        if (message.startsWith("Checksum mismatch")) throw error;
        if (left <= 1) throw s3Error(this.uri, `reading ${file}`, error);
      }
    }
  }

  async #saying<T>(doing: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw s3Error(this.uri, doing, error);
    }
  }
}

const readings = 3;

/** Buckets with retention take nothing without such a checksum; the one in the signature does not count. */
const small = { ChecksumAlgorithm: "CRC32" } as const;

/** S3 wants parts of at least 5 MiB, and at most 10000 of them. */
const smallestPart = 5 * 2 ** 20;
const mostParts = 10_000;
