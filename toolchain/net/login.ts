import { unescape } from "node:querystring";

/** An address as it is shown and kept, and what requests to it need beside it. */
export interface Reached {
  readonly address: string;
  /** Those of its login. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Takes user and password, percent-encoded, out of an address: they are for requests, not for people and files. What is
 * no address, such as a directory, stays as it is.
 */
export function splitLogin(written: string): Reached {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url?.username && !url?.password) return { address: written, headers: {} };
  const login = `${unescape(url.username)}:${unescape(url.password)}`;
  url.username = "";
  url.password = "";
  return { address: url.href, headers: { authorization: `Basic ${Buffer.from(login).toString("base64")}` } };
}

/** An address as it is shown and kept. */
export const withoutLogin = (written: string): string => splitLogin(written).address;
