import { setTimeout as sleep } from "node:timers/promises";
import { failPoint } from "../../../fail-point.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../../../wait.ts";
import {
  callsWithout,
  deadline,
  entryNamed,
  lookAtCluster,
  look,
  problemOf,
  quick,
  wantedNamed,
  waitUntilWell,
  withLogs,
  type MembershipContext,
} from "../context.ts";
import { maxLag, type Situation } from "../situation.ts";
import { retire } from "./remove.ts";
import { expectPrepared, startPrepared } from "./start.ts";

/** Adds a new learner, which runs nowhere yet, to the cluster. */
export async function add(context: MembershipContext, situation: Situation, name: string): Promise<void> {
  expectPrepared(situation, name);
  await callsWithout(context, situation).add(
    wantedNamed(situation, name).peerUrl,
    deadlineIn(Math.max(settles, context.timeoutSeconds)),
  );
  failPoint("membership/added");
}

/** Starts a learner that the cluster knows, and waits until it has caught up; removes it again if it does not. */
export async function join(context: MembershipContext, situation: Situation, name: string): Promise<void> {
  await orTakenBack(context, situation, name, async () => {
    await startPrepared(context, situation, name);
    failPoint("membership/learner-started");
    await catchUp(context, situation, name);
  });
}

/** etcd itself requires only nine tenths of the leader's log, which may be a million entries behind. */
export async function promote(context: MembershipContext, situation: Situation, name: string): Promise<void> {
  await orTakenBack(context, situation, name, async () => {
    await catchUp(context, situation, name);
    failPoint("membership/caught-up");
    await callsWithout(context, situation).promote(entryNamed(situation, name).id, deadline(context));
  });
  failPoint("membership/promoted");
  await waitUntilWell(context, [name]);
}

async function catchUp(context: MembershipContext, situation: Situation, name: string): Promise<void> {
  const limit = deadlineIn(context.timeoutSeconds + largestDatabase(situation) / slowestTransfer);
  await waitFor(`${name} to catch up`, limit, () => caughtUp(context, name), quick);
}

/** Twice in a row: a learner that is sent a snapshot looks caught up for a moment. */
async function caughtUp(context: MembershipContext, name: string): Promise<Pending | undefined> {
  for (let i = 0; i < 2; i++) {
    if (i > 0) await sleep(200);
    const situation = await lookAtCluster(context);
    const entry = entryNamed(situation, name);
    if (!entry.healthy) return new Pending(problemOf(situation, entry));
    if (entry.lag > maxLag) return new Pending(`it is ${entry.lag} entries behind`);
  }
  return undefined;
}

/** A learner that does not come up leaves neither an entry nor data behind. */
async function orTakenBack(
  context: MembershipContext,
  situation: Situation,
  name: string,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await withLogs(context, [name], run);
  } catch (error) {
    const outcome = await takeBack(context, situation, name).then(
      () => "it was taken back, the cluster is as before",
      (left: unknown) => `it could not be taken back, the next up goes on with it: ${messageOf(left)}`,
    );
    throw new Error(`${name}: joining as a learner: ${messageOf(error)}\n${outcome}`, { cause: error });
  }
}

async function takeBack(context: MembershipContext, situation: Situation, name: string): Promise<void> {
  await callsWithout(context, situation).remove(entryNamed(situation, name).id, deadline(context));
  failPoint("membership/learner-removed");
  await retire(context, await look(context), name);
}

/** Seconds within which etcd is sure to accept another change: it wants to have heard from all members for 5 s. */
const settles = 30;

/** Slowest transfer to a learner that is still worth waiting for, in bytes per second. */
const slowestTransfer = 10 * 2 ** 20;

const largestDatabase = ({ facts }: Situation) => Math.max(0, ...facts.report.members.map(({ dbSize }) => dbSize));
