import type { Deadline } from "../wait.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { accountDrift, accountFor } from "./accounts.ts";
import { othersIn } from "./cleanup.ts";
import { impersonator, paths } from "./names.ts";
import { ensureAccount, ensureNamespace } from "./service-account.ts";
import { decoded, ensureToken, isReplacement, madeAt, tokensOf, wantedOf, type Rotation } from "./tokens.ts";

/** What a member gives to the control plane. */
export interface MemberCredentials {
  readonly token: string;
  readonly impersonatorToken: string;
  /** PEM of the member's own authority. */
  readonly ca: string;
  /** When the token was made, RFC 3339. */
  readonly since: string;
  /** Whether it replaced an earlier one, or was requested explicitly. */
  readonly isReplacement: boolean;
  /** Secrets of tokens to be revoked once the control plane has the new ones. */
  readonly superseded: readonly KubeObject[];
}

/**
 * Makes sure that the member has Karmada's two service accounts, with rights for the first of them, and returns their
 * tokens: new ones when a rotation asks for them. What exists is corrected; what somebody else added stays.
 */
export async function ensureCredentials(
  member: KubeClient,
  cluster: string,
  deadline: Deadline,
  rotation: Rotation = {},
): Promise<MemberCredentials> {
  await ensureNamespace(member, deadline);
  const [own, shared] = await Promise.all([
    ensureAccount(member, accountFor("plane", cluster), deadline, rotation),
    ensureToken(member, { account: impersonator, cluster }, deadline, rotation),
  ]);
  return {
    token: decoded(own.current),
    impersonatorToken: decoded(shared.current),
    ca: decoded(own.current, "ca.crt"),
    since: madeAt(own.current),
    isReplacement: isReplacement(own.current),
    superseded: [...own.superseded, ...(await onlyOurs(member, cluster, shared.superseded))],
  };
}

/** How it differs from what {@link ensureCredentials} made, in sentences. */
export async function credentialDrift(member: KubeClient, cluster: string, rotation: Rotation = {}): Promise<string[]> {
  const [own, account, tokens] = await Promise.all([
    accountDrift(member, accountFor("plane", cluster), rotation),
    member.find(paths.serviceAccount(impersonator)),
    tokensOf(member, { account: impersonator, cluster }),
  ]);
  return [
    ...own,
    ...(account === undefined ? [`service account ${impersonator}: is gone from the member`] : []),
    ...(wantedOf(tokens, rotation) === undefined ? [`secret ${impersonator}: is gone from the member`] : []),
  ];
}

/** The impersonator's first token is shared by every control plane the member has. */
async function onlyOurs(
  member: KubeClient,
  cluster: string,
  superseded: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  if (superseded.length === 0) return [];
  const others = await othersIn(member, cluster);
  return others.length === 0 ? superseded : superseded.filter(({ metadata }) => metadata?.name !== impersonator);
}
