import { EtcdClient } from "../lib/etcd/client.ts";
import { look, type MembershipContext } from "../lib/etcd/membership/context.ts";
import { driftOf } from "../lib/etcd/membership/drift.ts";
import { outcomeOf } from "../lib/etcd/membership/outcome.ts";
import { reconcile } from "../lib/etcd/membership/reconcile.ts";
import { nameOf, type Known, type Situation } from "../lib/etcd/membership/situation.ts";
import { memberRuntimeAt } from "../lib/etcd/runtime/at.ts";
import type { MemberRun } from "../lib/etcd/runtime/runtime.ts";
import { Unreachable } from "../lib/hosts/transport.ts";
import { isTokenOf } from "../lib/restore/token.ts";
import { messageOf } from "../lib/wait.ts";
import type { EtcdMembershipInputs, EtcdMembershipOutputs } from "./etcd-membership.ts";
import { checkMembership } from "./etcd/membership-check.ts";
import { desiredOf } from "./etcd/membership-desired.ts";
import { derivePlan } from "./etcd/membership-plan.ts";
import { HalfDone, implement, type State, unseen } from "./implementation.ts";
import { sparingDeclared } from "./still-declared.ts";

type Recorded = State<EtcdMembershipInputs, EtcdMembershipOutputs>;

const implemented = implement<EtcdMembershipInputs, EtcdMembershipOutputs>({
  inputs: {
    token: "replace",
    runtime: "update",
    members: "update",
    version: "update",
    replace: "update",
    defragment: "update",
    foreignMembers: "update",
    ca: "update",
    certificate: "update",
    key: "update",
    timeoutSeconds: "ignore",
    restored: "update",
    plan: "update",
  },
  id: ({ token }) => token,
  check: checkMembership,
  derive: derivePlan,
  create: (inputs) => bring(inputs, { members: [], replaced: {} }),
  update: (inputs, state) => bring(inputs, state.known ?? { members: [], replaced: {} }, state.runtime),
  read: (state) => using(state, state.known, memberRuntimeAt(state.runtime), (context) => observe(context, state)),
  delete: (state) => using(state, state.known, memberRuntimeAt(state.runtime), (context) => stopOurs(context, state)),
});

/** A forced replacement would stop all members at the end of an `up`. */
export const provider = sparingDeclared(implemented, ({ token }) => `members of ${token}`);

async function observe(context: MembershipContext, { lastPlan = [] }: Recorded) {
  const situation = await look(context, 2000).catch(unlessReached);
  // The resource that prepares a member reports that its host is gone.
  if (situation === undefined) return unseen;
  // That it cannot be reached from here says nothing about the cluster; that none of it runs does.
  if (situation.facts.report.clusterId === "") return { state: {}, drift: endedIn(situation) };
  const drift = driftOf(situation);
  return { state: drift.length > 0 ? outputsOf(situation, lastPlan) : {}, drift };
}

/** A sentence for each member of a cluster that does not answer, if none of them runs; empty if one does. */
function endedIn({ desired, facts }: Situation): string[] {
  const names = desired.members.map(({ name }) => name);
  return names.some((name) => facts.runs[name]?.running) ? [] : names.map((name) => `${name}: does not run`);
}

/**
 * Stops the members that are of the cluster of this state, leaders last. Nobody is served any more, but each takes
 * seconds to drain its clients. A leader takes seven to hand over to a stopping member, and none if no other is left.
 */
async function stopOurs(context: MembershipContext, state: Recorded): Promise<void> {
  const { runtime } = context;
  const situation = await look(context, 2000).catch(unlessReached);
  const runs = situation?.facts.runs ?? (await runsOf(runtime, state));
  const names = Object.keys(runs).filter((name) => isOurs(state, name, runs[name]));
  const leaders = situation ? leadersOf(situation) : [];
  const stop = (some: readonly string[]) => Promise.all(some.map((name) => runtime.stop(name).catch(unlessReached)));
  await stop(names.filter((name) => !leaders.includes(name)));
  await stop(names.filter((name) => leaders.includes(name)));
}

/** What exists of each member, as far as it can be reached. */
async function runsOf(runtime: MembershipContext["runtime"], { members }: EtcdMembershipInputs) {
  const look = async ({ name }: { name: string }) => [name, await runtime.observe(name).catch(unlessReached)] as const;
  return Object.fromEntries(await Promise.all(members.map(look)));
}

/** If a deployment unknown to this state has taken the place, the member of that name belongs to another cluster. */
function isOurs({ token, known }: Recorded, name: string, run?: MemberRun) {
  const found = run?.bootstrap?.token;
  if (found === undefined || isTokenOf(token, found)) return true;
  if (known?.members.some((member) => member.token === found)) return true;
  console.warn(`${name}: goes on, as a member of ${found}: this state is not of that cluster`);
  return false;
}

const leadersOf = (situation: Situation): string[] =>
  situation.facts.report.members.filter(({ leader }) => leader).map((entry) => nameOf(situation, entry));

function unlessReached(error: unknown): undefined {
  if (!(error instanceof Unreachable)) throw error;
}

async function bring(
  inputs: EtcdMembershipInputs,
  known: Known,
  before?: EtcdMembershipInputs["runtime"],
): Promise<EtcdMembershipOutputs> {
  const runtime = memberRuntimeAt(inputs.runtime, before);
  return using(inputs, known, runtime, async (context) => {
    let last: Situation | undefined;
    try {
      const plan = await reconcile(context, (situation) => (last = situation));
      return outputsOf(last ?? (await look(context)), plan);
    } catch (error) {
      const after = await look({ ...context, known: last?.known ?? known }).catch(() => last);
      if (after === undefined) throw error;
      const outputs = outputsOf(after, inputs.plan ?? []);
      // What never was a cluster is started as a new one again.
      if (outputs.known.clusterId === undefined) throw error;
      throw new HalfDone(messageOf(error), outputs, { cause: error });
    }
  });
}

function outputsOf(situation: Situation, lastPlan: string[]): EtcdMembershipOutputs {
  const { known, members, lastSeenRevision } = outcomeOf(situation);
  return { clusterId: known.clusterId ?? "", memberStates: [...members], lastSeenRevision, lastPlan, known };
}

async function using<T>(
  inputs: EtcdMembershipInputs | Recorded,
  known: Known | undefined,
  runtime: MembershipContext["runtime"],
  run: (context: MembershipContext) => Promise<T>,
): Promise<T> {
  const client = new EtcdClient(inputs);
  const say = (sentence: string) => console.log(sentence);
  const { timeoutSeconds } = inputs;
  try {
    return await run({
      client,
      runtime,
      desired: desiredOf(inputs),
      known: known ?? { members: [], replaced: {} },
      timeoutSeconds,
      say,
    });
  } finally {
    client.close();
  }
}
