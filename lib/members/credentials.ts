import type { Deadline } from "../wait.ts";
import type { KubeClient } from "../kube/client.ts";
import { accountDrift, accountFor } from "./accounts.ts";
import { impersonator, paths } from "./names.ts";
import { decoded, ensureAccount, ensureNamespace, ensureToken } from "./service-account.ts";

/** What a member gives to the control plane. */
export interface MemberCredentials {
  readonly token: string;
  readonly impersonatorToken: string;
  /** PEM of the member's own authority. */
  readonly ca: string;
}

/**
 * Makes sure that the member has Karmada's two service accounts, with rights for the first of them, and returns their
 * tokens. What is there is put right; what somebody else added stays.
 */
export async function ensureCredentials(
  member: KubeClient,
  cluster: string,
  deadline: Deadline,
): Promise<MemberCredentials> {
  await ensureNamespace(member, deadline);
  const [secret, impersonatorSecret] = await Promise.all([
    ensureAccount(member, accountFor("plane", cluster), deadline),
    ensureToken(member, impersonator, deadline),
  ]);
  return { token: decoded(secret), impersonatorToken: decoded(impersonatorSecret), ca: decoded(secret, "ca.crt") };
}

/** What of it is not as {@link ensureCredentials} left it, in sentences. */
export async function credentialDrift(member: KubeClient, cluster: string): Promise<string[]> {
  const shared = {
    [`service account ${impersonator}`]: paths.serviceAccount(impersonator),
    [`secret ${impersonator}`]: paths.secret(impersonator),
  };
  const [own, ...others] = await Promise.all([
    accountDrift(member, accountFor("plane", cluster)),
    ...Object.entries(shared).map(async ([what, path]) =>
      (await member.find(path)) === undefined ? [`${what}: is gone from the member`] : [],
    ),
  ]);
  return [...own, ...others.flat()];
}
