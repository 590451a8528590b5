import { Agent } from "node:https";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { fromIni } from "@aws-sdk/credential-provider-ini";
import type { S3Settings } from "./target-settings.ts";

/** A client for a bucket's server. Server and network errors are retried for about half a minute. */
export function s3Client(settings: S3Settings): S3Client {
  const { endpoint, region, pathStyle = endpoint !== undefined, ca } = settings;
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...credentialsOf(settings),
    maxAttempts: attempts,
    // What it would log is thrown as well, or handled otherwise.
    logger: silent,
    // Only where requested: of a body produced while it is sent, the SDK would buffer whatever comes too fast.
    requestChecksumCalculation: "WHEN_REQUIRED",
    // Parts do not wait for `100 Continue`: the SDK would open a connection for each.
    expectContinueHeader: false,
    // What is read is checked against the SHA-256 of its manifest, which says more than the SDK's error.
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: 5000,
      socketTimeout: silence,
      ...(ca !== undefined && { httpsAgent: new Agent({ keepAlive: true, ca }) }),
    },
  });
}

/** Milliseconds. Some servers take minutes to assemble the parts of a large object. */
const silence = 300_000;

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** The SDK waits a random time up to 0.1 s, doubled each time, up to 20 s. */
const attempts = 10;

function credentialsOf({ credentials }: S3Settings): Pick<S3ClientConfig, "credentials"> {
  switch (credentials.kind) {
    case "environment":
      return {};
    case "file":
      return { credentials: fromIni({ filepath: credentials.path, profile: credentials.profile }) };
    case "keys":
      return {
        credentials: { accessKeyId: credentials.accessKeyId, secretAccessKey: credentials.secretAccessKey },
      };
  }
}
