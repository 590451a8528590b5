import { jsonOf } from "../spec/values/json-of.ts";

/** The claims of a JSON Web Token, unverified; undefined when it is none. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const [, payload] = token.split(".");
  if (payload === undefined) return undefined;
  return jsonOf(Buffer.from(payload, "base64url").toString()) as Record<string, unknown> | undefined;
}
