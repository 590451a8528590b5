import * as pulumi from "@pulumi/pulumi";
import { MemberApis } from "../providers/member-apis.ts";
import { selectedKinds } from "../spec/policies/selected-kinds.ts";
import type { MemberSettings } from "./member-args.ts";

/** The members, and what is placed in them. */
type Placed = Omit<Parameters<typeof selectedKinds>[0], "members"> & { readonly members: readonly MemberSettings[] };

interface AskMembersArgs {
  readonly placed: Placed;
  /** Version of Karmada. */
  readonly karmada: string;
  /** Kubeconfig of an administrator of each member, by the member's name. */
  readonly kubeconfigs: ReadonlyMap<string, pulumi.Input<string>>;
}

/** Asks members, if there are any, whether they serve what is placed in them. */
export function askMembers(
  name: string,
  { placed, karmada, kubeconfigs }: AskMembersArgs,
  parent: pulumi.Resource,
): void {
  if (placed.members.length === 0) return;
  const selected = selectedKinds(placed);
  // One that is unknown in a preview would make a secret of all of them unknown.
  const secrets = [...kubeconfigs].map(([member, kubeconfig]) => [member, pulumi.secret(kubeconfig)]);
  const each = Object.fromEntries(secrets) as pulumi.Input<Record<string, string>>;
  new MemberApis(name, { kubeconfigs: each, selected, karmada }, { parent });
}
