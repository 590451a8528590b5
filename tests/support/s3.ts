import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import type { S3Settings } from "../../lib/snapshots/target-settings.ts";
import type { Programs, Running } from "./running.ts";

/** A real S3 server with one bucket. */
export interface S3Server {
  readonly settings: S3Settings;
  /** Where it keeps the objects, each a file under its key. */
  readonly directory: string;
  readonly running: Running;
}

/** Starts versitygw over a directory of the programs. @param address where it listens, for who is not on this machine @param flags of its own */
export async function startS3(
  programs: Programs,
  port: number,
  bucket = "karmada-backup",
  address = "127.0.0.1",
  flags: readonly string[] = [],
): Promise<S3Server> {
  const root = join(programs.directory, "s3");
  mkdirSync(root);
  const keys = ["--access", accessKeyId, "--secret", secretAccessKey];
  const running = await programs.start("versitygw", [...keys, "--port", `${address}:${port}`, ...flags, "posix", root]);
  const endpoint = `http://${address}:${port}`;
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  try {
    await waitFor("the S3 server", deadlineIn(60), () => client.send(new CreateBucketCommand({ Bucket: bucket })));
  } finally {
    client.destroy();
  }
  return {
    running,
    directory: join(root, bucket),
    settings: {
      kind: "s3",
      bucket,
      endpoint,
      region: "us-east-1",
      prefix: "etcd",
      credentials: { kind: "keys", accessKeyId, secretAccessKey },
    },
  };
}

const accessKeyId = "test";
const secretAccessKey = "test-secret-key";
