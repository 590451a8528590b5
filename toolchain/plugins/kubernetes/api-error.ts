/** What an API server answers when it does not do what was asked: a Status object. */
export class ApiError extends Error {
  /** HTTP status code. */
  readonly code: number;
  /** `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`, `Forbidden`... */
  readonly reason: string;
  /** The fields it complains about. */
  readonly causes: readonly { readonly reason: string; readonly field: string; readonly message: string }[];

  constructor(code: number, body: string, request: string) {
    const status = parseStatus(body);
    super(status.message || `${request}: the server answered ${code}: ${body.slice(0, 200).trim()}`);
    this.code = code;
    this.reason = status.reason ?? "";
    this.causes = (status.details?.causes ?? []).map(({ reason = "", field = "", message = "" }) => ({
      reason,
      field,
      message,
    }));
  }
}

export const isNotFound = (error: unknown): error is ApiError => error instanceof ApiError && error.code === 404;
export const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.reason === "Forbidden";
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.reason === "Conflict";
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === "AlreadyExists";

/** The server has no such kind: a CustomResourceDefinition is missing, or the apiVersion is not served. */
export class NoMatchError extends Error {
  constructor(kind: string, groupVersion: string) {
    super(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(groupVersion)}`);
  }
}

/** A request that got no answer, with its address and the cause in words. */
export function connectionError(request: string, cause: Error & { code?: string }): Error {
  const causes = cause instanceof AggregateError ? (cause.errors as Error[]) : [cause];
  const error = new Error(`${request}: ${causes.map(({ message }) => message).join(", ")}`, { cause });
  return Object.assign(error, { name: cause.name, code: cause.code });
}

interface Status {
  message?: string;
  reason?: string;
  details?: { causes?: { reason?: string; field?: string; message?: string }[] };
}

function parseStatus(body: string): Status {
  try {
    return JSON.parse(body) as Status;
  } catch {
    return {};
  }
}
