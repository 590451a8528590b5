import { setTimeout as sleep } from "node:timers/promises";
import { failPoint } from "../../../fail-point.ts";
import { bootstrapOf } from "../bootstrap.ts";
import { waitUntilWell, type MembershipContext } from "../context.ts";
import { runOf, type Situation } from "../situation.ts";
import { orToldToReplace } from "./damaged.ts";

/**
 * Starts members of a new cluster. Each asks the others, in the order of their peer URLs, whether it is one of theirs
 * already, and waits a second for each that listens and does not serve yet (etcd's `isMemberBootstrapped`): so the one
 * that all ask first is started before the others, if that takes only a moment.
 */
export async function bootstrap(
  context: MembershipContext,
  situation: Situation,
  members: readonly string[],
): Promise<void> {
  const [first] = [...situation.desired.members].sort((a, b) => (a.peerUrl < b.peerUrl ? -1 : 1));
  const isFirst = (name: string) => name === first?.name;
  const ahead = members.filter((name) => isFirst(name)).map((name) => begin(context, situation, name));
  await Promise.race([Promise.allSettled(ahead), sleep(headStart)]);
  const others = members.filter((name) => !isFirst(name)).map((name) => begin(context, situation, name));
  await allOf([...ahead, ...others]);
  await waitUntilWell(context, members);
}

/** Milliseconds. */
const headStart = 500;

/** Starts all of them before waiting for any: none serves before a majority runs. */
export async function start(
  context: MembershipContext,
  situation: Situation,
  members: readonly string[],
): Promise<void> {
  await allOf(members.map((name) => begin(context, situation, name)));
  await orToldToReplace(context, members, () => waitUntilWell(context, members));
}

async function begin(context: MembershipContext, situation: Situation, name: string): Promise<void> {
  await startPrepared(context, situation, name);
  failPoint("membership/started");
}

/** Lets all of them finish before it reports that one has failed. */
async function allOf(starts: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(starts)).find((each) => each.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Waits until a member is well, or, without one, the cluster. */
export async function wait(context: MembershipContext, member: string | undefined): Promise<void> {
  const names = member === undefined ? [] : [member];
  await orToldToReplace(context, names, () => waitUntilWell(context, names));
}

/** Starts a member as it was prepared. */
export async function startPrepared({ runtime }: MembershipContext, situation: Situation, name: string): Promise<void> {
  expectPrepared(situation, name);
  await runtime.start(name, bootstrapOf(situation, name));
}

/** A member is only started as it is declared now, never as it was prepared earlier. */
export function expectPrepared(situation: Situation, name: string): void {
  const wanted = situation.desired.members.find((member) => member.name === name);
  const { prepared } = runOf(situation, name);
  if (wanted === undefined || prepared === wanted.revision) return;
  const is = prepared === undefined ? "nothing is prepared" : `revision ${prepared} is prepared`;
  throw new Error(
    `${name}: starting revision ${wanted.revision}: ${is}; its program and files have to be written first`,
  );
}
