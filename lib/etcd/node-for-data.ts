/** A node that can take a member's pod. */
export interface Candidate {
  readonly name: string;
  readonly zone?: string;
}

/**
 * The node for new data of a member: preferably one without another member's data, in a zone without any, and the one
 * that the member had before.
 *
 * @param others the nodes that have data of other members
 * @param before the node that has the member's own so far
 * @param alone whether a node with data of another member is ruled out
 */
export function nodeForData(
  candidates: readonly Candidate[],
  others: readonly string[],
  before: string | undefined,
  alone: boolean,
): Candidate | undefined {
  const zones = others.map((name) => candidates.find((each) => each.name === name)?.zone);
  const rank = ({ name, zone }: Candidate): number[] => [
    others.filter((each) => each === name).length,
    zone === undefined ? 0 : zones.filter((each) => each === zone).length,
    name === before ? 0 : 1,
  ];
  return candidates
    .filter(({ name }) => !alone || !others.includes(name))
    .toSorted((a, b) => byNumbers(rank(a), rank(b)) || (a.name < b.name ? -1 : 1))[0];
}

function byNumbers(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, i) => number !== b[i]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}
