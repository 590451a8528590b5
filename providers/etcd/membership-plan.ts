import { isDeepStrictEqual } from "node:util";
import { EtcdClient, type EtcdConnection } from "../../lib/etcd/client.ts";
import { majority } from "../../lib/etcd/conditions.ts";
import { observeFacts } from "../../lib/etcd/membership/facts.ts";
import { planSentences } from "../../lib/etcd/membership/plan.ts";
import { refusals } from "../../lib/etcd/membership/refusals.ts";
import {
  wasteful,
  type Desired,
  type DesiredMember,
  type Facts,
  type Known,
} from "../../lib/etcd/membership/situation.ts";
import { askEndpoints } from "../../lib/etcd/questions.ts";
import { memberRuntimeAt } from "../../lib/etcd/runtime/at.ts";
import type { MemberRuntime } from "../../lib/etcd/runtime/runtime.ts";
import { messageOf } from "../../lib/wait.ts";
import { unknownValue } from "../../toolchain/pulumi/unknown-value.ts";
import type { EtcdMembershipInputs } from "../etcd-membership.ts";
import { type Before, type Derived } from "../implementation.ts";
import { otherPlacement } from "../other-placement.ts";
import { desiredIfKnown } from "./membership-desired.ts";

type Inputs = EtcdMembershipInputs;

/**
 * The plan, from the cluster as it is now. It is remade when something other than the plan differs, when a database is
 * to be defragmented, or when too few members run, and otherwise carried over: a plan that differs means that there is
 * something to do.
 */
export async function derivePlan(inputs: Partial<Inputs>, before: Before<Inputs>): Promise<Derived<Inputs>> {
  const { inputs: then, drifted } = before;
  if (then?.token !== undefined && inputs.token !== undefined && then.token !== inputs.token) {
    const reason = `got "${inputs.token}", was "${then.token}": a cluster keeps the name it was started with; restore a snapshot into a new deployment instead`;
    return { inputs: {}, problems: [{ property: "token", reason }] };
  }
  const elsewhere = otherPlacement(then?.runtime?.kind, inputs.runtime?.kind);
  if (elsewhere !== undefined) return { inputs: {}, problems: [{ property: "runtime", reason: elsewhere }] };
  if (then?.plan !== undefined && !drifted && semantic.every((name) => isDeepStrictEqual(then[name], inputs[name]))) {
    return { inputs: { plan: (await unasked(inputs, then)) ?? then.plan } };
  }
  if (inputs.restored !== undefined && inputs.restored.clusterId === undefined) {
    return laterKnown;
  }
  const wanted = wantedOf(inputs);
  if (wanted === undefined) return laterKnown;
  try {
    return await planned(wanted, then);
  } catch (error) {
    return { inputs: { plan: [`made when it is carried out, since now: ${messageOf(error)}`] } };
  }
}

/**
 * A plan that depends on what a preview does not know yet. Any sentence in its place would have to be the same when it is
 * carried out, where that is by a saved plan of Pulumi's.
 */
const laterKnown = { inputs: { plan: unknownValue as never } };

/** Inputs that affect the plan. */
const semantic = [
  "token",
  "runtime",
  "members",
  "version",
  "replace",
  "defragment",
  "foreignMembers",
  "restored",
] as const;

/**
 * The plan of an unchanged cluster that is as declared: when a database has grown far beyond its content, or when too
 * few members run, where a refresh is impossible since no API server answers either. Only sizes are asked for before
 * that; a single missing member is left for a refresh to notice.
 */
async function unasked(inputs: Partial<Inputs>, then: Partial<Inputs>): Promise<string[] | undefined> {
  const wanted = wantedOf(inputs);
  if (wanted === undefined) return undefined;
  try {
    if (!(await hasToDo(wanted, then))) return undefined;
    const { problems, inputs: found } = await planned(wanted, then);
    return problems === undefined ? found.plan : undefined;
  } catch (error) {
    console.debug(messageOf(error));
    return undefined;
  }
}

async function hasToDo({ desired, runtime, connection }: Wanted, then: Partial<Inputs>): Promise<boolean> {
  const client = new EtcdClient(connection);
  try {
    const urls = desired.members.map(({ clientUrl }) => clientUrl);
    const seen = await askEndpoints(client, urls, patience);
    const silent = desired.members.filter((_, i) => seen[i]?.status === undefined);
    const answering = desired.members.length - silent.length;
    if (answering < majority(desired.members.length)) return anyStopped(memberRuntimeAt(runtime, then.runtime), silent);
    return seen.some(({ status }) => {
      const { dbSize = 0, dbSizeInUse = 0 } = status ?? {};
      const [size, used] = [Number(dbSize), Number(dbSizeInUse)];
      return size > 0 && wasteful(desired, size, 1 - used / size);
    });
  } finally {
    client.close();
  }
}

/** Whether one of these does not run. One that hangs, or whose port cannot be reached from here, counts as running. */
async function anyStopped(where: MemberRuntime, members: readonly DesiredMember[]) {
  const runs = await Promise.all(members.map(({ name }) => where.observe(name)));
  return runs.some(({ running }) => !running);
}

/** Milliseconds for questions that nothing depends on. */
const patience = 1000;

/** What is to be, and how to reach what there is. */
interface Wanted {
  readonly desired: Desired;
  readonly runtime: Inputs["runtime"];
  readonly connection: EtcdConnection;
}

/** Undefined while a preview does not know enough of it. */
function wantedOf(inputs: Partial<Inputs>): Wanted | undefined {
  const { runtime, ca, certificate, key } = inputs;
  const desired = desiredIfKnown(inputs);
  if (desired === undefined || runtime === undefined) return undefined;
  if (ca === undefined || certificate === undefined || key === undefined) return undefined;
  return { desired, runtime, connection: { ca, certificate, key } };
}

async function planned({ desired, runtime, connection }: Wanted, then?: Partial<Inputs>): Promise<Derived<Inputs>> {
  const client = new EtcdClient(connection);
  try {
    const members = (then?.members ?? []).map((member) => ({ ...member, token: "", incarnation: 0 }));
    const where = memberRuntimeAt(runtime, then?.runtime);
    const facts = await observeFacts(client, where, desired, { members, replaced: {} }, 2000);
    const situation = { facts, desired, known: then === undefined ? nothing : knownOf(then, facts, desired) };
    const problems = refusals(situation);
    return problems.length > 0 ? { inputs: {}, problems } : { inputs: { plan: planSentences(situation) } };
  } finally {
    client.close();
  }
}

const nothing: Known = { members: [], replaced: {} };

/** The state is not available here; its content follows from the previous inputs and from what runs. */
function knownOf(
  { members = [], replace = {}, restored }: Partial<Inputs>,
  { report, runs }: Facts,
  desired: Desired,
): Known {
  const restoredNow = desired.restored !== undefined && desired.restored !== restored?.clusterId;
  return {
    clusterId: report.clusterId || "not to be asked",
    members: members.map(({ name, clientUrl }) => {
      const { token = "", incarnation = 0 } = runs[name]?.bootstrap ?? {};
      return { name, clientUrl, token, incarnation };
    }),
    replaced: restoredNow ? { ...replace, ...desired.replace } : replace,
  };
}
