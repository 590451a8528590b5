import { schedulersOf } from "../control-plane/schedulers.ts";
import type { Deployment } from "../deployment.ts";
import { type PlaneOfAgents, planeOfAgents } from "./agent-check.ts";
import type { PlaneImages } from "./agent.ts";

/**
 * The output `joining` of a deployment's stack, for stacks of members that join it; nothing of it is secret. `Known` is
 * the type of values known only once the control plane exists.
 */
export interface Joining<Known = string> extends PlaneOfAgents {
  /** Name of the deployment. */
  readonly deployment: string;
  /** Version of Karmada. */
  readonly karmada: string;
  /** URL of its API, for members. */
  readonly server: string;
  /** The authority of its API and of what it signs, PEM. */
  readonly authority: Known;
  /** Changes with each restore of its etcd. */
  readonly restored?: Known;
  /** Internal networks it is in. */
  readonly networks: readonly string[];
  /** Whether members of its own have estimators. */
  readonly estimates: boolean;
  /** Names of its schedulers. Absent from older releases. */
  readonly schedulers?: readonly string[];
  /** Stacks of members that it serves, as typed. Absent from older releases. */
  readonly teams?: readonly string[];
  /** How agents run. */
  readonly agent: Deployment["controlPlane"]["karmada-agent"];
  /** Where images come from; absent where it has none. */
  readonly images?: Omit<PlaneImages, "login">;
  readonly lifetimes: Pick<Deployment["pki"], "certificateValidity" | "renewBefore">;
}

/** The control plane of another stack, as offered to its members. */
export interface PlaneOffered extends Joining {
  /** Names of the members that the other stack declares. */
  readonly members: readonly string[];
}

/** What a deployment offers to such stacks. */
export function joiningOf<Known>(
  { name, versions, placement, pki, controlPlane, teams }: Deployment<unknown>,
  known: { readonly server: string; readonly authority: Known; readonly restored?: Known },
): Joining<Known> {
  const { server, authority, restored } = known;
  return {
    ...planeOfAgents({ placement, pki } as Parameters<typeof planeOfAgents>[0]),
    deployment: name,
    karmada: versions.karmada,
    server,
    authority,
    ...(restored !== undefined && { restored }),
    networks: controlPlane.networks,
    estimates: controlPlane["karmada-scheduler-estimator"].enabled,
    schedulers: schedulersOf(controlPlane),
    teams,
    agent: controlPlane["karmada-agent"],
    ...(placement.kind === "kubernetes" && { images: withoutLogin(placement.images) }),
    lifetimes: { certificateValidity: pki.certificateValidity, renewBefore: pki.renewBefore },
  };
}

const withoutLogin = ({ karmada, pinned, pullPolicy }: Readonly<Omit<PlaneImages, "login">>) => ({
  karmada,
  pinned,
  pullPolicy,
});
