import type { Bootstrap } from "../runtime/runtime.ts";
import {
  declared,
  entryOf,
  hasData,
  nextIncarnation,
  quorate,
  runOf,
  type Desired,
  type Situation,
} from "./situation.ts";

/**
 * What a member is started with: the same as before while it has those data, else what lets it join. Without a cluster
 * to join it is one of the first members.
 */
export function bootstrapOf(situation: Situation, name: string): Bootstrap {
  const run = runOf(situation, name);
  if (run.bootstrap !== undefined && hasData(run)) return run.bootstrap;
  const last = run.incarnations.at(-1);
  if (last !== undefined) return { ...joining(situation, name), incarnation: last };
  const first = !quorate(situation) || inFirstStart(situation, name);
  return first ? firstOf(situation) : joining(situation, name);
}

/** What every member of a new cluster is started with. */
export const firstBootstrap = ({ token, members }: Desired): Bootstrap => ({
  token,
  state: "new",
  initialCluster: initialCluster(members),
  incarnation: 1,
});

/** Exactly the members of the list: with one more or less etcd does not start. */
function joining(situation: Situation, name: string): Bootstrap {
  const listed = situation.facts.report.members.flatMap((entry) =>
    entry.peerUrls.map((peerUrl) => ({ name: entry.name || (declared(situation, entry)?.name ?? ""), peerUrl })),
  );
  const others = Object.values(situation.facts.runs).flatMap(({ running, bootstrap }) => (running && bootstrap) || []);
  return {
    token: others[0]?.token ?? situation.desired.token,
    state: "existing",
    initialCluster: initialCluster(listed),
    incarnation: nextIncarnation(situation, name),
  };
}

/** A voter with a name that never served was listed when the cluster was first started. */
function inFirstStart(situation: Situation, name: string): boolean {
  const wanted = situation.desired.members.find((member) => member.name === name);
  const entry = wanted && entryOf(situation, wanted);
  return entry !== undefined && !entry.learner && entry.name !== "" && entry.clientUrls.length === 0;
}

function firstOf({ facts, desired }: Situation): Bootstrap {
  const started = Object.values(facts.runs).find(({ bootstrap }) => bootstrap?.state === "new");
  return started?.bootstrap ?? firstBootstrap(desired);
}

/** `name=peer URL` of each, in order of names. */
const initialCluster = (members: readonly { name: string; peerUrl: string }[]): string =>
  [...members]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, peerUrl }) => `${name}=${peerUrl}`)
    .join(",");
