import { failedChecks } from "../probe.ts";

/** An error answered by the server. */
export class KubeError extends Error {
  readonly status: number;
  /** Kubernetes' reason, for instance `NotFound`, `AlreadyExists`, `Conflict`. */
  readonly reason: string;
  /** Continue token with which an expired list goes on from the present state; absent for other errors. */
  readonly next?: string | undefined;

  constructor(method: string, path: string, status: number, body: string) {
    const { message, reason, next } = statusOf(body);
    super(`${method} ${path}: ${status} ${message}`);
    this.status = status;
    this.reason = reason;
    this.next = next;
  }
}

/** No answer: the server could not be reached, or not trusted. `code` is Node's, for instance `ECONNREFUSED`. */
export class UnreachableError extends Error {
  readonly code: string;
  constructor(message: string, code: string, options: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Says in an operator's words why a server did not answer.
 * @param way the server, with the proxy that leads there
 */
export function unreachable(way: string, error: unknown): Error {
  if (error instanceof KubeError || error instanceof UnreachableError) return error;
  const { code = "", name = "", message = String(error) } = error as NodeJS.ErrnoException;
  const why =
    name === "TimeoutError" || name === "AbortError" ? "no answer in time" : (words[code] ?? ofProxy(message));
  return new UnreachableError(`${way}: ${why}`, code, { cause: error });
}

/** Whether the server is gone, starting or overloaded, so that the same call may work later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof UnreachableError) return !distrust.has(error.code) && !error.code.startsWith("ERR_");
  return error instanceof KubeError && (error.status === 429 || error.status >= 500);
}

/**
 * Whether waiting is pointless. While it starts, an API server does not know its kinds yet (404), has not read the
 * roles (403) and reaches no webhook or aggregated server (500, 503). Wrong credentials stay wrong.
 */
export const isHopelessAtStart = (error: unknown): boolean =>
  error instanceof KubeError ? error.status === 401 : !isTransient(error);

/** Whether the server's certificate is not valid: it has expired, is from another authority or for another name. */
export const isDistrusted = (error: unknown): boolean =>
  isMisnamed(error) || (error instanceof UnreachableError && distrust.has(error.code));

/** Whether the server is trusted, but its certificate lacks the name it was addressed by. */
export const isMisnamed = (error: unknown): boolean =>
  error instanceof UnreachableError && error.code === "ERR_TLS_CERT_ALTNAME_INVALID";

/** Whether no object has that name. */
export const isNotFound = (error: unknown) => error instanceof KubeError && error.status === 404;

/** For `catch`: the object to be changed may be gone by now. @throws any other error */
export function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** Whether the caller lacks the right (403). */
export const isForbidden = (error: unknown) => error instanceof KubeError && error.status === 403;

/** For `catch`: what the caller may not read is unknown. @throws any other error */
export function unlessForbidden(error: unknown): undefined {
  if (!isForbidden(error)) throw error;
}

/** Whether the server does not know the caller, or forbids it (401, 403). */
export const isRefused = (error: unknown) => isForbidden(error) || (error instanceof KubeError && error.status === 401);

/** Whether somebody else has changed the object since it was read, or created it first. */
export const isConflict = (error: unknown) => error instanceof KubeError && error.status === 409;

/** As the library's agent says it (package hpagent). */
const ofProxy = (message: string) => message.replace(/^Bad response: (\d+)$/, "the proxy answered $1");

const words: Record<string, string> = {
  ECONNREFUSED: "connection refused, nothing listens there",
  ECONNRESET: "the connection was cut",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name cannot be looked up now",
  ETIMEDOUT: "no answer in time",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is not signed by the kubeconfig's authority",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is not signed by the kubeconfig's authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate is not signed by the kubeconfig's authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate is not signed by the kubeconfig's authority",
  CERT_SIGNATURE_FAILURE: "the server's certificate is not signed by the kubeconfig's authority",
};

const distrust = new Set(Object.keys(words).filter((code) => words[code]?.includes("certificate")));

/** From a Status object; else the checks that failed, or the first line of any other body. */
function statusOf(body: string): { message: string; reason: string; next?: string | undefined } {
  interface Status {
    readonly message?: string;
    readonly reason?: string;
    readonly metadata?: { readonly continue?: string };
  }
  try {
    const { message, reason, metadata } = JSON.parse(body) as Status;
    if (typeof message === "string") return { message, reason: reason ?? "", next: metadata?.continue };
  } catch {
    // Not JSON: a proxy or a health endpoint answered.
  }
  const said = failedChecks(body) || body.trim().split("\n")[0];
  return { message: said?.slice(0, 300) || "without a message", reason: "" };
}
