import { randomBytes } from "node:crypto";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { retryTransient } from "../kube/retry-transient.ts";
import { deadlineIn, Pending, type Deadline } from "../wait.ts";
import { clusterNamespace, paths, systemLabels } from "./names.ts";

/** What asks for a new token of an account; without either, the newest existing one will do. */
export interface Rotation {
  /** The operator's `rotate`: a value never used before asks for a new token. */
  readonly rotate?: string;
  /** When the token that is over age was made, RFC 3339. */
  readonly due?: string;
}

/** Whose tokens: those of an account or, if several planes share it, those of one of them. */
export interface Holder {
  readonly account: string;
  /** Name of the member on the plane. @default the account is not shared */
  readonly cluster?: string;
}

/** The token to use, and those it supersedes. */
export interface Tokens {
  readonly current: KubeObject;
  readonly superseded: readonly KubeObject[];
}

/**
 * A service account and its token, which the member's kube-controller-manager fills in. A new token is a new Secret
 * under a name that was never used: Kubernetes puts nothing but names and the account's UID into a token, so that a
 * recreated Secret of the same name would yield the same token, usable by whoever had it.
 */
export async function ensureToken(
  member: KubeClient,
  holder: Holder,
  deadline: Deadline,
  rotation: Rotation = {},
): Promise<Tokens> {
  const { account } = holder;
  const patience = deadlineIn(Math.min(controllersReturn, deadline.left() / 1000));
  const body = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: account, namespace: clusterNamespace, labels: systemLabels },
  };
  const write = () => member.apply(paths.serviceAccount(account), body);
  const { metadata: { uid } = {} } = await retryTransient(`service account ${account} to be written`, patience, write);
  const look = async () => {
    const there = await tokensOf(member, holder);
    const usable = there.filter((secret) => [undefined, uid].includes(ownerOf(secret)));
    const useless = there.filter((secret) => !usable.includes(secret));
    await Promise.all(useless.map((secret) => remove(member, secret)));
    const current = wantedOf(usable, rotation);
    if (current === undefined) await createToken(member, holder, usable, rotation);
    else if (ownerOf(current) === uid && current.data?.token !== undefined)
      return { current, superseded: usable.filter((secret) => secret !== current) };
    return new Pending(useless.length > 0 ? forAnother : notFilledIn);
  };
  return retryTransient(`the token of service account ${account}`, patience, look, { interval: 20, maxInterval: 200 });
}

/**
 * Seconds after which the controllers of a member whose API server was away look for it again, at the latest:
 * client-go's reflectors wait up to 30 s plus up to as much jitter (tools/cache/reflector.go), and then need some time.
 * Until then their cache may hold a deleted account, whose token they fill in: it lets nobody in, and that is not
 * corrected, since to them an account deleted and recreated in the meantime has merely changed.
 */
const controllersReturn = 75;

const filler = "the member's kube-controller-manager does that (serviceaccount-token-controller)";
const notFilledIn = `not filled in; ${filler}`;
const forAnother = `filled in for an account that is gone, again and again; ${filler}`;

/** The tokens made for this holder, newest first, without those of others. */
export async function tokensOf(
  member: KubeClient,
  { account, cluster }: Holder,
  timeout?: number,
): Promise<KubeObject[]> {
  const query = { fieldSelector: `type=${tokenType}` };
  const list = await member.find<{ items: KubeObject[] }>(`${paths.namespace(clusterNamespace)}/secrets`, {
    query,
    ...(timeout !== undefined && { timeout }),
  });
  return (list?.items ?? [])
    .filter(({ metadata }) => metadata?.annotations?.[ownerName] === account)
    .filter(({ metadata }) => {
      const { [generation]: number, [owner]: whose } = metadata?.annotations ?? {};
      return metadata?.name === account || (number !== undefined && whose === cluster);
    })
    .sort((a, b) => generationOf(b) - generationOf(a));
}

/** The newest token made for this rotation, if there is one. */
export function wantedOf(tokens: readonly KubeObject[], { rotate, due }: Rotation): KubeObject | undefined {
  return tokens.find(({ metadata }) => {
    const annotations = metadata?.annotations ?? {};
    const word = rotate === undefined || annotations[madeForWord] === rotate;
    return word && (due === undefined || annotations[madeForDue] === due);
  });
}

/** If a token was made because an older one was over age: when that one was made. */
export const dueOf = ({ metadata }: KubeObject): string | undefined => metadata?.annotations?.[madeForDue];

/** Whether it is not the first token of its account. */
export const isReplacement = ({ metadata }: KubeObject): boolean => metadata?.annotations?.[generation] !== undefined;

/** When a token was made, RFC 3339. */
export const madeAt = ({ metadata }: KubeObject): string =>
  (metadata as { creationTimestamp?: string } | undefined)?.creationTimestamp ?? "";

/** The token in a secret, or another of its entries. */
export const decoded = (secret: KubeObject, key = "token"): string =>
  Buffer.from(secret.data?.[key] ?? "", "base64").toString();

/** Deletes the Secret of a token: within seconds the member refuses it. */
export const remove = (member: KubeClient, { metadata }: KubeObject): Promise<void> =>
  member.delete(paths.secret(metadata?.name ?? ""));

const tokenType = "kubernetes.io/service-account-token";
const ownerName = "kubernetes.io/service-account.name";
const ownerUid = "kubernetes.io/service-account.uid";
const generation = "karmada-pulumi/generation";
const owner = "karmada-pulumi/cluster";
const madeForWord = "karmada-pulumi/made-for-word";
const madeForDue = "karmada-pulumi/made-for-due";

const generationOf = ({ metadata }: KubeObject): number => Number(metadata?.annotations?.[generation] ?? 0);

/** UID of the account it was filled in for. */
const ownerOf = ({ metadata }: KubeObject): string | undefined => metadata?.annotations?.[ownerUid];

/** The first one has upstream's name. */
async function createToken(
  member: KubeClient,
  { account, cluster }: Holder,
  there: readonly KubeObject[],
  { rotate, due }: Rotation,
): Promise<void> {
  const first = there.length === 0 && rotate === undefined && due === undefined;
  const name = first ? account : `${account}-${randomBytes(4).toString("hex")}`;
  // There may be a Secret of that name that is no token.
  if (first) await member.delete(paths.secret(name));
  const annotations = {
    [ownerName]: account,
    ...(!first && { [generation]: String(Math.max(0, ...there.map(generationOf)) + 1) }),
    ...(!first && cluster !== undefined && { [owner]: cluster }),
    ...(rotate !== undefined && { [madeForWord]: rotate }),
    ...(due !== undefined && { [madeForDue]: due }),
  };
  await member.apply(paths.secret(name), {
    apiVersion: "v1",
    kind: "Secret",
    type: tokenType,
    metadata: { name, namespace: clusterNamespace, annotations },
  });
}
