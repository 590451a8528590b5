/**
 * Tokens held by programs of another stack: after making a new one, the old one may be revoked only once that stack has
 * restarted those programs, which it notes beside the token on the plane.
 */
import { connect, type KubeClient, type KubeObject } from "../kube/client.ts";
import { parseKubeconfig } from "../kube/kubeconfig.ts";
import type { MemberCredentials } from "./credentials.ts";
import { estimatorAccountOf, paths } from "./names.ts";
import { notesOf } from "./token-notes.ts";
import { decoded, tokensOf } from "./tokens.ts";

/** A member whose tokens programs of another stack may hold. */
interface HeldToken {
  readonly cluster: string;
  readonly karmadaKubeconfig: string;
  readonly heldElsewhere?: boolean;
  /** When the token that those programs are known to use was made, RFC 3339. */
  readonly used?: string;
}

/**
 * Finds out which token those programs use. If that cannot be told, the known answer stays, so that it is never a
 * difference by itself.
 */
export async function useElsewhere(
  { cluster, karmadaKubeconfig, heldElsewhere }: Partial<HeldToken>,
  { used: before }: Partial<HeldToken>,
): Promise<Pick<HeldToken, "used">> {
  if (!heldElsewhere || cluster === undefined || karmadaKubeconfig === undefined) return {};
  const used = (await look(karmadaKubeconfig, cluster).catch(() => undefined)) ?? before;
  return used === undefined ? {} : { used };
}

/**
 * The tokens that nobody uses any more, never that of the login. Estimators of another stack get theirs before its
 * programs are restarted.
 */
export async function revocable(
  member: KubeClient,
  { memberKubeconfig, ...held }: HeldToken & { readonly memberKubeconfig: string },
  credentials: Pick<MemberCredentials, "superseded" | "since">,
): Promise<readonly KubeObject[]> {
  const { token: login } = parseKubeconfig(memberKubeconfig);
  return (await unused(member, held, credentials)).filter((secret) => decoded(secret) !== login);
}

async function unused(
  member: KubeClient,
  { cluster, heldElsewhere, used }: HeldToken,
  { superseded, since }: Pick<MemberCredentials, "superseded" | "since">,
): Promise<readonly KubeObject[]> {
  if (!heldElsewhere) return superseded;
  if (used === since) {
    const [, ...ofEstimator] = await tokensOf(member, { account: estimatorAccountOf(cluster) });
    return [...superseded, ...ofEstimator];
  }
  if (superseded.length > 0)
    console.warn(
      `${cluster}: has a new token; the one before is valid until the stack of the deployment, which has this one among its teams, and then this one have been brought up again`,
    );
  return [];
}

async function look(karmadaKubeconfig: string, cluster: string): Promise<string | undefined> {
  const plane = await connect(karmadaKubeconfig);
  const secret = await plane.find(paths.secret(cluster), { timeout: 5000 });
  const { made, used } = notesOf(secret);
  return made === used ? used : undefined;
}
