import { createAuthority } from "../support/certificates.ts";

/** A certificate that is valid at the moment of the tests' context, and its key. */
export const pair = await createAuthority("etcd", new Date("2026-01-01T00:00:00Z"));
