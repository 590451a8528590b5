import type { KubeClient, KubeObject } from "../../lib/kube/client.ts";
import type { MemberCredentials } from "../../lib/members/credentials.ts";
import type { Endpoint } from "../../lib/members/endpoint.ts";
import { restartHolders, revokeTokens } from "../../lib/members/token-holders.ts";
import { isUnread, notesOf, noteUse } from "../../lib/members/token-notes.ts";
import { revocable } from "../../lib/members/token-use.ts";
import type { Deadline } from "../../lib/wait.ts";
import type { ClusterRegistrationInputs, ClusterRegistrationOutputs } from "../cluster-registration.ts";
import { goesOnWithDeadToken } from "../goes-on-elsewhere.ts";

/** What the state keeps of the token by which Karmada reaches into a member. */
export type KnownToken = Pick<ClusterRegistrationOutputs, "credentialSince" | "tokenReplaced" | "tokenWritten">;

/** A token that is on the plane. */
export interface WrittenToken {
  readonly known: KnownToken;
  /** Whether it was made as a repair: somebody deleted the one before, and there is none to revoke. */
  readonly isRemade: boolean;
  /** Whether programs of the plane may go on with the one in whose place it is. */
  readonly isHeld: boolean;
}

/**
 * @param secret the one on the plane
 * @param before what the state has of the one before
 */
export function writtenToken(
  { since, isReplacement }: Pick<MemberCredentials, "since" | "isReplacement">,
  secret: KubeObject,
  before: KnownToken,
): WrittenToken {
  const isRemade = before.credentialSince !== undefined && before.credentialSince !== since;
  const tokenWritten = notesOf(secret).written ?? (before.credentialSince === since ? before.tokenWritten : undefined);
  const isAnother = isReplacement || isRemade || tokenWritten !== undefined || before.tokenReplaced === since;
  return {
    known: {
      credentialSince: since,
      ...(isAnother && { tokenReplaced: since }),
      ...(tokenWritten !== undefined && { tokenWritten }),
    },
    isRemade,
    isHeld: isUnread(secret),
  };
}

/** Where a token is taken into use. */
interface Situation {
  readonly plane: KubeClient;
  readonly member: KubeClient;
  readonly endpoint: Endpoint;
  readonly credentials: MemberCredentials;
  /** Whether Karmadas share the member's account: then none is revoked. */
  readonly isShared: boolean;
  readonly before: KnownToken;
  readonly deadline: Deadline;
}

/**
 * Starts the programs of the plane again that may have read another token, once, and revokes those that nobody uses any
 * more. Programs of another stack are only told of.
 */
export async function takeIntoUse(
  inputs: ClusterRegistrationInputs,
  { known, isRemade, isHeld }: WrittenToken,
  { plane, member, endpoint, credentials, isShared, before, deadline }: Situation,
): Promise<void> {
  const { cluster, tokenHolders, heldElsewhere = false } = inputs;
  const superseded = isShared ? [] : await revocable(member, inputs, credentials);
  const isDead = superseded.length === 0 && credentials.superseded.length === 0;
  if (heldElsewhere && isHeld && isDead && known.tokenWritten !== before.tokenWritten) {
    console.warn(`${cluster}: ${goesOnWithDeadToken}`);
  }
  if ((isRemade || isHeld) && superseded.length === 0) await restartHolders(tokenHolders);
  await revokeTokens(member, endpoint, superseded, tokenHolders, deadline);
  if (isHeld && !heldElsewhere) await noteUse(plane, cluster, credentials.since);
}
