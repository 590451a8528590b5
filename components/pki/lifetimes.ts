import type { Pki } from "../../spec/pki/pki.ts";
import { hours } from "../../spec/values/units.ts";

/** How long certificates are valid. */
export interface Lifetimes {
  readonly authorityHours: number;
  readonly leafHours: number;
  /** The first `up` within this time before its expiry reissues a leaf. */
  readonly renewBeforeHours: number;
}

/** Those that are declared. */
export const lifetimesOf = (
  pki: Pick<Pki, "authorityValidity" | "certificateValidity" | "renewBefore">,
): Lifetimes => ({
  authorityHours: hours(pki.authorityValidity),
  leafHours: hours(pki.certificateValidity),
  renewBeforeHours: hours(pki.renewBefore),
});

/**
 * The first `up` within this time before its expiry renews an authority, and with it all that it signed. Any later a
 * leaf of then would outlive it. One that is hardly valid for longer than its leaves is past that time from the start,
 * and would be renewed by every `up`: for it half of its time counts, or as long before as leaves are renewed.
 */
export const authorityRenewalHours = ({ authorityHours, leafHours, renewBeforeHours }: Lifetimes): number =>
  Math.min(leafHours, Math.max(Math.floor(authorityHours / 2), renewBeforeHours));
