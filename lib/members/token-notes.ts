/**
 * What stands beside the token that a plane has for a member: when it was made, whether it took the place of another one,
 * and whether the plane's programs use it. Those that have read another one go on with that.
 */
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { paths, tokenMade } from "./names.ts";
import { decoded } from "./tokens.ts";

/** On the Secret on the plane: when the token that its programs are known to use was made, RFC 3339. */
const tokenUsed = "karmada-pulumi/token-used";

/** On the Secret on the plane: when its token took the place of another one there, RFC 3339. */
export const tokenWritten = "karmada-pulumi/token-written";

interface TokenNotes {
  readonly made: string | undefined;
  readonly used: string | undefined;
  readonly written: string | undefined;
}

/** What is noted on the Secret on the plane. */
export function notesOf(secret: KubeObject | undefined): TokenNotes {
  const { [tokenMade]: made, [tokenUsed]: used, [tokenWritten]: written } = secret?.metadata?.annotations ?? {};
  return { made, used, written };
}

/** Whether programs may go on with the token in whose place the present one is. */
export function isUnread(secret: KubeObject | undefined): boolean {
  const { made, used, written } = notesOf(secret);
  return written !== undefined && used !== made;
}

/** Notes that all programs of a plane use the token made at that time. */
export async function noteUse(plane: KubeClient, cluster: string, since: string): Promise<void> {
  await plane.merge(paths.secret(cluster), { metadata: { annotations: { [tokenUsed]: since } } });
}

/**
 * Looks whether a token that is about to be written takes the place of another one: of the one before a rotation, or of
 * one that a restore has put back. Then it also takes the note away that the programs use that one.
 *
 * @returns when it does, or did, RFC 3339; undefined where there was none before it
 */
export async function takesPlace(plane: KubeClient, cluster: string, token: string): Promise<string | undefined> {
  const secret = await plane.find(paths.secret(cluster));
  if (secret === undefined) return undefined;
  const { used, written } = notesOf(secret);
  if (decoded(secret) === token) return written;
  if (used !== undefined)
    await plane.merge(paths.secret(cluster), { metadata: { annotations: { [tokenUsed]: null } } });
  return new Date().toISOString();
}
