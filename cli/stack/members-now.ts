import type { EtcdAccess } from "../../components/etcd-access.ts";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { type MemberStatus, readMembers } from "../../lib/members/status.ts";
import type { PlaneProgram } from "../../lib/plane/program.ts";
import { messageOf } from "../../lib/wait.ts";
import type { Joining } from "../../spec/members/joining.ts";
import { knownOutputs } from "./known-outputs.ts";
import { pulumiJson } from "./pulumi.ts";

/** The outputs of a stack that the commands use. */
export interface Outputs {
  readonly endpoint: string;
  readonly kubeconfig: string;
  readonly members: readonly { readonly name: string }[];
  /** By name; absent if no member is simulated. */
  readonly simulatedKubeconfigs?: Readonly<Record<string, string>>;
  readonly certificates: Readonly<Record<string, string>>;
  /** Versions of programs, by their names. */
  readonly versions?: Readonly<Record<string, string>>;
  /** What the control plane consists of. Absent in outputs of older releases. */
  readonly programs?: readonly PlaneProgram[];
  readonly joining?: Pick<Joining, "lifetimes">;
  readonly etcdAccess: EtcdAccess;
  /** Given out by an etcd by itself, for control planes of other stacks. */
  readonly etcdClient?: unknown;
  /** The stack whose control plane the members of this one join; absent if that is its own. */
  readonly deployment?: string;
  /** Version of that. */
  readonly karmada?: string;
}

/** The member clusters as the control plane sees them now. */
export interface Seen {
  readonly members: readonly MemberStatus[];
  /** Why it could not be asked for them. */
  readonly problem?: string;
}

/** The outputs of a stack, all with a value; empty if it has never been up. */
export const readOutputs = async <T extends object = Outputs>(root: string, stack: string): Promise<Partial<T>> =>
  knownOutputs(stack, await pulumiJson<Partial<T>>(root, ["stack", "output", "--stack", stack, "--show-secrets"]));

/**
 * Whether a stack has a control plane, its own or another's: stacks for snapshots, restores or an adopted plane have
 * none.
 */
export const hasPlane = (outputs: Partial<Outputs>): outputs is Outputs => outputs.kubeconfig !== undefined;

/** Whether a stack is an etcd by itself that is up. */
export const isEtcdAlone = (outputs: Partial<Outputs>): boolean =>
  outputs.etcdClient !== undefined && outputs.etcdAccess !== undefined;

/** A stack's control plane, with a function that lists its members and never throws. */
export async function openPlane({
  kubeconfig,
  members = [],
  certificates = {},
  versions = {},
  deployment,
}: Pick<Outputs, "kubeconfig"> & Partial<Outputs>): Promise<{
  readonly plane: KubeClient;
  readonly look: () => Promise<Seen>;
}> {
  const plane = await connect(kubeconfig);
  const names = members.map(({ name }) => name);
  // Members that others joined to another stack's control plane are not shown.
  const isShown = ({ name }: MemberStatus) => deployment === undefined || names.includes(name);
  const look = () =>
    readMembers(plane, names, certificates, versions).then(
      (found): Seen => ({ members: found.filter(isShown) }),
      (error: unknown) => ({ members: [], problem: messageOf(error) }),
    );
  return { plane, look };
}
