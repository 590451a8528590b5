import { whole } from "../field.ts";
import { bytes, size } from "../values/units.ts";
import { shown } from "../wording.ts";

/** The maximum number of members, on etcd's own advice (https://etcd.io/docs/v3.6/faq/). */
export const mostMembers = 7;

/** How many members must agree: more than half. */
export const quorum = (members: number): number => Math.floor(members / 2) + 1;

/** Why a number of members is refused; nothing when it is not. Bounds of a plain number are checked by themselves. */
export function sizeProblem(count: number): string | undefined {
  if (count % 2 === 1 && count <= 7) return undefined;
  const why =
    count % 2 === 0 && count > 0
      ? ` (a quorum of ${count} needs ${quorum(count)}: no more losses are survived than with ${count - 1})`
      : "";
  return `want 1, 3, 5 or 7${why}`;
}

/** A number of members. */
export const memberCount = whole(1, 7, "1, 3, 5 or 7")
  .refine((count) => count < 1 || count > 7 || sizeProblem(count) === undefined, {
    error: ({ input }) => `got ${Number(input)}, ${sizeProblem(Number(input))}`,
  })
  .meta({ enum: [1, 3, 5, 7] });

/** How large a database may grow: with less nothing fits into it, and more etcd cannot map into memory. */
export const quota = size
  .refine(
    (value) => !/^\d{1,9}[MG]i$/.test(value) || (bytes(value) >= bytes("64Mi") && bytes(value) <= bytes("1024Gi")),
    {
      error: ({ input }) => `got ${shown(input)}, want a size from "64Mi" to "1024Gi"`,
    },
  )
  .default("8Gi");
