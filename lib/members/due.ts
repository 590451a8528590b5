import { type Duration, seconds } from "../../spec/values/units.ts";
import { connect, type KubeClient, type KubeObject } from "../kube/client.ts";
import { UnreachableError } from "../kube/error.ts";
import { messageOf } from "../wait.ts";
import { accountFor, type Purpose } from "./accounts.ts";
import { dueOf, madeAt, tokensOf, type Rotation } from "./tokens.ts";

/** What is declared of the tokens of an account. */
export interface RotationInputs extends Rotation {
  /** How old a token may become. @default any age */
  readonly rotateEvery?: string;
  /** What is going to be done, in sentences. */
  readonly plan?: string[];
}

/** The account whose tokens are looked at. */
export interface RotatedAccount {
  readonly cluster: string;
  readonly purpose: Purpose;
  readonly memberKubeconfig: string;
}

/**
 * Looks in a member how old a token is, and says when it is due. Found once it stays, so that it never is a difference by
 * itself; a member that does not answer has nothing due, one that refuses has a warning as well.
 */
export async function dueRotation(
  account: Partial<RotatedAccount>,
  { rotate, rotateEvery }: RotationInputs,
  then: RotationInputs | undefined,
  now = new Date(),
): Promise<Pick<RotationInputs, "due" | "plan">> {
  const kept = { ...(then?.due !== undefined && { due: then.due }), ...(then?.plan && { plan: then.plan }) };
  const asked =
    then !== undefined && rotate !== undefined && rotate !== then.rotate
      ? [`rotate is ${rotate}, was ${then.rotate ?? "not set"}`]
      : [];
  const aged = rotateEvery === undefined ? undefined : await overAge(account, rotateEvery, now);
  const reasons = [...asked, ...(aged?.reason === undefined ? [] : [aged.reason])];
  const due = aged?.due ?? then?.due;
  if (reasons.length === 0) return { ...kept, ...(due !== undefined && { due }) };
  return { ...(due !== undefined && { due }), plan: [...reasons, procedure] };
}

const procedure =
  "makes a new token in the member, puts it in use once the member lets it in, and revokes the one before";

/**
 * The oldest counts: while it is there a rotation has not come to its end. Where planes share an account its first token
 * is never revoked: in its place counts the one that was made for it, once that is over age too.
 */
async function overAge(
  { cluster, purpose, memberKubeconfig }: Partial<RotatedAccount>,
  rotateEvery: string,
  now: Date,
): Promise<{ readonly due?: string; readonly reason?: string } | undefined> {
  if (cluster === undefined || purpose === undefined || memberKubeconfig === undefined) return undefined;
  const tokens = await look(memberKubeconfig, accountFor(purpose, cluster).name);
  const [newest] = tokens;
  const oldest = tokens.at(-1);
  if (newest === undefined || oldest === undefined) return undefined;
  const ageOf = (token: KubeObject) => (now.getTime() - Date.parse(madeAt(token))) / 1000;
  const isOver = (token: KubeObject) => ageOf(token) > seconds(rotateEvery as Duration);
  if (!isOver(oldest)) {
    const due = dueOf(newest);
    return due === undefined ? {} : { due };
  }
  const over = lastOver(tokens, oldest, isOver);
  const made = madeAt(over);
  return { due: made, reason: `the token of ${made} is ${inHours(ageOf(over))} old, rotateEvery is ${rotateEvery}` };
}

/** The last of a row of tokens over age, each made for the one before it. @param tokens newest first */
function lastOver(tokens: readonly KubeObject[], over: KubeObject, isOver: (token: KubeObject) => boolean): KubeObject {
  const newer = tokens.slice(0, tokens.indexOf(over));
  const next = newer.find((token) => dueOf(token) === madeAt(over));
  return next !== undefined && isOver(next) ? lastOver(newer, next, isOver) : over;
}

/**
 * What all members that do not answer are waited for together, and each of them at least, in milliseconds. They are looked
 * at one after another, and several times: ten that are dead would hold up a preview for a minute.
 */
const patience = { together: 3000, each: 1000 };
const silent = new WeakSet<KubeClient>();
/** Accounts whose age was asked for in vain, and not for want of an answer. */
const warned = new Set<string>();
let lost = 0;

async function look(memberKubeconfig: string, account: string): Promise<KubeObject[]> {
  const begin = performance.now();
  let member: KubeClient | undefined;
  try {
    member = await connect(memberKubeconfig);
    if (silent.has(member)) return [];
    return await tokensOf(member, { account }, Math.max(patience.each, patience.together - lost));
  } catch (error) {
    if (error instanceof UnreachableError) {
      if (member !== undefined) silent.add(member);
      lost += performance.now() - begin;
    } else if (!warned.has(account)) {
      warned.add(account);
      console.warn(`${account}: how old its token is cannot be told, so none is due: ${messageOf(error)}`);
    }
    return [];
  }
}

const inHours = (age: number): string => (age < 7200 ? `${Math.floor(age / 60)}m` : `${Math.floor(age / 3600)}h`);
