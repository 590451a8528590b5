import { seconds, type Duration } from "../../spec/values/units.ts";
import { span } from "./member-table.ts";
import type { Outputs } from "./members-now.ts";

/** A certificate that ends soon, or has ended. */
export interface DueCertificate {
  readonly name: string;
  /** RFC 3339. */
  readonly ends: string;
  readonly ended: boolean;
}

/** Those of a stack with less than `pki.renewBefore` left, in the order in which they end. */
export function certificatesDue(
  { certificates = {}, joining }: Pick<Partial<Outputs>, "certificates" | "joining">,
  now: Date,
): readonly DueCertificate[] {
  const soon = now.getTime() + seconds(joining?.lifetimes.renewBefore ?? usual) * 1000;
  return Object.entries(certificates)
    .map(([name, ends]) => ({ name, ends, ended: Date.parse(ends) <= now.getTime() }))
    .filter(({ ends }) => Date.parse(ends) < soon)
    .sort((a, b) => Date.parse(a.ends) - Date.parse(b.ends));
}

/** Of stacks whose outputs do not tell it. */
const usual: Duration = "720h";

/** A line for each. */
export const dueLines = (due: readonly DueCertificate[], now: Date): string[] =>
  due.map(({ name, ends, ended }) => {
    const left = span(Math.abs(Date.parse(ends) - now.getTime()) / 1000);
    return `certificate ${name}: ${ended ? `ENDED ${left} ago` : `ends in ${left}, due for renewal`}`;
  });
