/** The one field of a source that says where it comes from, or why that is not clear. */
export function placeOf<Place extends string>(
  source: Readonly<Partial<Record<Place, unknown>>>,
  places: readonly Place[],
): { readonly place: Place } | { readonly error: string } {
  const found = places.filter((place) => source[place] !== undefined);
  if (found.length === 1) return { place: found[0]! };
  const wanted = `${places.slice(0, -1).join(", ")} and ${places.at(-1)}`;
  return { error: `got ${found.join(" and ") || "none of them"}, want one of ${wanted}` };
}

/** Says that a source's content has changed, and what to do. */
export const otherDigest = (what: string, digest: string, wanted: string): string =>
  `got "${what}" with the SHA-256 digest ${digest}, want ${wanted}: look at what changed in it before you note the other digest`;
