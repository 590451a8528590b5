import * as pulumi from "@pulumi/pulumi";
import { MemberApis } from "../providers/member-apis.ts";
import { selectedKinds } from "../spec/selected-kinds.ts";
import type { MemberSettings } from "./member-args.ts";

type Placed = Omit<Parameters<typeof selectedKinds>[0], "members"> & { readonly members: readonly MemberSettings[] };

/**
 * Asks members, if there are any, whether they serve what is placed in them.
 * @param kubeconfigs by the member
 */
export function askMembers(
  name: string,
  placed: Placed,
  karmada: string,
  kubeconfigs: ReadonlyMap<string, pulumi.Input<string>>,
  parent: pulumi.Resource,
): void {
  if (placed.members.length === 0) return;
  const selected = selectedKinds(placed);
  // One that is unknown in a preview would make a secret of all of them unknown.
  const secrets = [...kubeconfigs].map(([member, kubeconfig]) => [member, pulumi.secret(kubeconfig)]);
  const each = Object.fromEntries(secrets) as pulumi.Input<Record<string, string>>;
  new MemberApis(name, { kubeconfigs: each, selected, karmada }, { parent });
}
