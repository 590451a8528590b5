import { messageOf } from "../wait.ts";
import { TargetError, type TargetFault } from "./target.ts";

/** What the SDK threw, in the operator's words. */
export function s3Error(uri: string, doing: string, error: unknown): TargetError {
  if (error instanceof TargetError) return error;
  const { fault, reason } = judged(error as Thrown);
  return new TargetError(fault, `${uri}: ${doing}: ${reason}`, { cause: error });
}

interface Thrown {
  readonly name?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
}

function judged(error: Thrown): { readonly fault: TargetFault; readonly reason: string } {
  const { name = "", code = "", $metadata = {} } = error;
  const said = `${messageOf(error)} (${name})`;
  if (name === "NoSuchBucket") return { fault: "missing", reason: "there is no such bucket\nmake it first" };
  if (name === "NoSuchKey" || name === "NotFound") return { fault: "missing", reason: "there is no such object" };
  if (credentialFaults.has(name)) {
    return {
      fault: "denied",
      reason: `the server does not accept the credentials: ${said}\ncheck them and the region`,
    };
  }
  if (name === "CredentialsProviderError") {
    return { fault: "denied", reason: `no credentials were found: ${messageOf(error)}\nset the target's credentials` };
  }
  const status = $metadata.httpStatusCode;
  if (status === 401 || status === 403) {
    return { fault: "denied", reason: `the credentials have no right to it: ${said}` };
  }
  if (fullFaults.has(name) || status === 507) return { fault: "full", reason: `the server has no room: ${said}` };
  const tries = $metadata.attempts === undefined ? "" : `, after ${$metadata.attempts} attempts`;
  if (status !== undefined && (status >= 500 || status === 429)) {
    return { fault: "unreachable", reason: `the server answers HTTP ${status}${tries}: ${said}` };
  }
  if (lineFaults.test(`${code} ${messageOf(error)}`) || name === "TimeoutError" || name === "AggregateError") {
    return { fault: "unreachable", reason: `no answer${tries}: ${messageOf(error) || code}` };
  }
  return { fault: "failed", reason: said };
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const credentialFaults = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "ExpiredToken",
  "InvalidToken",
  "AuthorizationHeaderMalformed",
  "RequestTimeTooSkewed",
  "XAdminUserNotFound", // versitygw
]);
const fullFaults = new Set(["QuotaExceeded", "XMinioStorageFull", "InsufficientStorage"]);
const lineFaults = /\b(ECONN|ENOTFOUND|EAI_|EHOST|ENET|EPIPE|ETIMEDOUT|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_TLS)/;
