import { Agent } from "node:https";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { fromIni } from "@aws-sdk/credential-provider-ini";
import type { S3Settings } from "./target-settings.ts";

/** A client for a bucket's server. Errors of the server and of the line are tried again, for about half a minute. */
export function s3Client(settings: S3Settings): S3Client {
  const { endpoint, region, pathStyle = endpoint !== undefined, ca } = settings;
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...credentialsOf(settings),
    maxAttempts: attempts,
    // What it would print is thrown as well, or done in another way.
    logger: silent,
    // Only where it is asked for: of a body that is made while it is sent, the SDK would hold whatever comes too fast.
    requestChecksumCalculation: "WHEN_REQUIRED",
    // Parts do not wait for the server's word that it wants them: the SDK would open a connection for each.
    expectContinueHeader: false,
    // What is read is held against the SHA-256 of its manifest, which says more than the SDK's error.
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: 5000,
      socketTimeout: silence,
      ...(ca !== undefined && { httpsAgent: new Agent({ keepAlive: true, ca }) }),
    },
  });
}

/** Milliseconds. Putting the parts of a large object together takes some servers minutes. */
const silence = 300_000;

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** The SDK waits at random up to 0.1 s, then twice as long each time, at most 20 s. */
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
