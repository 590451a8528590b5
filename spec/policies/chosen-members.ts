import type { ClusterAffinity, PolicyPlacement } from "./placement-policy.ts";

/** A member as policies select it. */
export interface Choosable {
  readonly name: string;
  readonly provider?: string;
  readonly region?: string;
  readonly zones: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** Every group of members that a placement names; none if it goes to all of them. */
export const affinitiesOf = ({ clusterAffinity, clusterAffinities }: PolicyPlacement): readonly ClusterAffinity[] =>
  clusterAffinities ?? (clusterAffinity === undefined ? [] : [clusterAffinity]);

/** The members to which a placement may go, in whichever of its groups. */
export function chosenBy<M extends Choosable>(placement: PolicyPlacement, members: readonly M[]): M[] {
  const affinities = affinitiesOf(placement);
  return members.filter((member) => affinities.length === 0 || affinities.some((each) => chosen(member, each)));
}

/** Labels that others put on a Cluster are unknown: a requirement that they be absent counts as met. */
function chosen(member: Choosable, { clusterNames = [], exclude = [], labelSelector, fieldSelector }: ClusterAffinity) {
  if (clusterNames.length > 0 && !clusterNames.includes(member.name)) return false;
  if (exclude.includes(member.name)) return false;
  const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {};
  const labels = new Map(Object.entries(member.labels));
  return (
    Object.entries(matchLabels).every(([key, value]) => labels.get(key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => holds(operator, one(labels.get(key)), values)) &&
    (fieldSelector?.matchExpressions ?? []).every(({ key, operator, values }) =>
      holds(operator, key === "zone" ? member.zones : one(member[key]), values),
    )
  );
}

const one = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value]);

function holds(
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist",
  found: readonly string[],
  values: readonly string[],
): boolean {
  switch (operator) {
    case "In":
      return found.some((value) => values.includes(value));
    case "NotIn":
      return !found.some((value) => values.includes(value));
    case "Exists":
      return found.length > 0;
    case "DoesNotExist":
      return found.length === 0;
  }
}
