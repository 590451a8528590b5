/** The candidate most likely meant by a mistyped word, if one is close enough. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const most = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= most && (!best || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** The fewest letters to insert, delete or replace (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1));
    row = next;
  }
  return row[to.length]!;
}
