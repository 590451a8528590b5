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
    // What is read is held against the SHA-256 of its manifest, which says more than the SDK's error.
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: 5000,
      requestTimeout: 60_000,
      ...(ca !== undefined && { httpsAgent: new Agent({ keepAlive: true, ca }) }),
    },
  });
}

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
