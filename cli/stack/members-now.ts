import type { EtcdAccess } from "../../components/etcd-access.ts";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { type MemberStatus, readMembers } from "../../lib/members/status.ts";
import { pulumiJson } from "./pulumi.ts";

/** What of a stack's outputs the commands go by. */
export interface Outputs {
  readonly endpoint: string;
  readonly kubeconfig: string;
  readonly members: readonly { readonly name: string }[];
  readonly certificates: Readonly<Record<string, string>>;
  readonly etcdAccess: EtcdAccess;
}

/** The outputs of a stack; none of one that has never come up. */
export const readOutputs = (root: string, stack: string): Promise<Partial<Outputs>> =>
  pulumiJson<Partial<Outputs>>(root, ["stack", "output", "--stack", stack, "--show-secrets"]);

/** A stack's control plane, and what asks it for its members. */
export async function openPlane({
  kubeconfig,
  members = [],
  certificates = {},
}: Pick<Outputs, "kubeconfig"> & Partial<Outputs>): Promise<{
  readonly plane: KubeClient;
  readonly look: () => Promise<MemberStatus[]>;
}> {
  const plane = await connect(kubeconfig);
  const names = members.map(({ name }) => name);
  return { plane, look: () => readMembers(plane, names, certificates) };
}
