import { coerce, gte, lt, type SemVer } from "semver";

/** The versions that etcd's members report. */
export interface EtcdVersionsNow {
  /** Version of every voter, for instance `3.6.6`; they differ in the middle of an upgrade. */
  readonly members: readonly string[];
  /** What the cluster as a whole has agreed on, `3.6.0`: the lowest minor version of its members. */
  readonly cluster: string;
}

/** What it takes to reach a version: only restarts, or first etcd's permission to downgrade by a minor version. */
export type EtcdVersionChange = "none" | "patch" | "upgrade" | "downgrade";

/** Versions that lose data (etcd's issue 13766): never a target. */
const dataLoss = { from: "3.5.0", to: "3.5.2" };

/**
 * The lowest version every member must run before the next minor version may follow, and why. Source: etcd's "Upgrade
 * etcd from 3.5 to 3.6" and issue 19557.
 */
const leavingMinor: Readonly<Record<string, { readonly least: string; readonly why: string }>> = {
  "3.5": {
    least: "3.5.26",
    why: "members that joined as learners would be taken for learners by 3.6, and it would not start",
  },
};

/** The first minor version from which a downgrade to the previous one is possible. */
const downgradesFrom = "3.6.0";

/**
 * What kind of change a version is for the running cluster. Going back in the middle of an upgrade is not a downgrade.
 */
export function etcdVersionChange(now: EtcdVersionsNow, to: string): EtcdVersionChange {
  const target = parsed(to);
  const cluster = parsed(now.cluster);
  if (minor(target) < minor(cluster)) return "downgrade";
  if (minor(target) > minor(cluster)) return "upgrade";
  return now.members.every((each) => each === to) ? "none" : "patch";
}

/**
 * What the cluster is about to agree on: the lowest minor version of its members, if that is above what it reports. So it
 * is for some seconds after the last member was upgraded, and after a downgrade was called off: its leader looks every
 * four (`monitorVersionInterval`, https://github.com/etcd-io/etcd/blob/v3.6.6/server/etcdserver/server.go).
 */
export function aboutToAgreeOn({ members, cluster }: EtcdVersionsNow): string | undefined {
  if (members.length === 0) return undefined;
  const least = parsed(lowest(members));
  return minor(least) > minor(parsed(cluster)) ? `${minorOf(least)}.0` : undefined;
}

/** Why etcd cannot go from its present version to that one, and what to do instead; undefined if it can. */
export function etcdVersionProblem(now: EtcdVersionsNow, to: string): string | undefined {
  const target = parsed(to);
  const cluster = parsed(now.cluster);
  if (gte(target, dataLoss.from) && !lt(dataLoss.to, target)) {
    return `etcd ${to} can lose data (${dataLoss.from} to ${dataLoss.to}); choose a later patch of 3.5`;
  }
  const change = etcdVersionChange(now, to);
  if (change === "downgrade") return downgradeProblem(cluster, target, to);
  if (change !== "upgrade") return undefined;
  if (target.major !== cluster.major || target.minor - cluster.minor > 1) {
    const next = `${cluster.major}.${cluster.minor + 1}`;
    return `etcd goes up one minor version at a time: from ${minorOf(cluster)} to ${next} first, then to ${to}`;
  }
  const rule = leavingMinor[minorOf(cluster)];
  const behind = now.members.filter(
    (each) => minorOf(parsed(each)) === minorOf(cluster) && lt(each, rule?.least ?? each),
  );
  if (rule === undefined || behind.length === 0) return undefined;
  return `etcd ${minorOf(target)} needs every member at ${rule.least} or later (now ${lowest(behind)}): ${rule.why}; set the version to the newest ${minorOf(cluster)} first`;
}

/** `3.6` of `3.6.8`. */
export const etcdMinor = (version: string): string => minorOf(parsed(version));

function downgradeProblem(cluster: SemVer, target: SemVer, to: string): string | undefined {
  if (lt(cluster, downgradesFrom)) {
    return `etcd ${minorOf(cluster)} cannot go back to ${to} (only ${minorOf(parsed(downgradesFrom))} and later can); restore a snapshot that ${minorOf(target)} made`;
  }
  if (target.major === cluster.major && cluster.minor - target.minor === 1) return undefined;
  return `etcd goes down one minor version at a time: from ${minorOf(cluster)} to ${cluster.major}.${cluster.minor - 1} first, then to ${to}`;
}

const minor = ({ major, minor: number }: SemVer) => major * 1000 + number;

const minorOf = ({ major, minor: number }: SemVer) => `${major}.${number}`;

const lowest = (versions: readonly string[]) => versions.reduce((least, each) => (lt(each, least) ? each : least));

function parsed(version: string): SemVer {
  const found = coerce(version);
  if (found === null) throw new Error(`got "${version}", want a version such as 3.6.8`);
  return found;
}
