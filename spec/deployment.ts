import { z } from "zod";
import { type Addon, addons } from "./addons/addons.ts";
import { controlPlane, type resolveComponents } from "./control-plane/control-plane.ts";
import { etcd } from "./etcd/etcd.ts";
import type { ReachedEtcd } from "./etcd/offered.ts";
import type { Resolved } from "./field.ts";
import type { Agent } from "./members/agent.ts";
import { memberGroups } from "./members/groups.ts";
import { type Credentials, members, membersMayLeave, type TypedMember } from "./members/members.ts";
import type { ChosenMode } from "./members/sync-mode.ts";
import { type TeamMember, teams } from "./members/teams.ts";
import { monitoring } from "./monitoring.ts";
import { pki } from "./pki/pki.ts";
import { placement, type resolvePlacement } from "./placement/placement.ts";
import { policies, type PolicyObject } from "./policies/policies.ts";
import { policyTemplates, policyTemplatesFrom } from "./policies/policy-templates.ts";
import type { Rebalancer } from "./policies/rebalancer.ts";
import { program } from "./program.ts";
import { snapshots } from "./snapshots/snapshots.ts";
import { ownName } from "./values/name.ts";
import { versions } from "./versions.ts";

/** Every key of a stack file, without the `karmada:` in front. */
export const sections = {
  program,
  name: ownName,
  versions,
  placement,
  pki,
  etcd,
  controlPlane,
  members,
  memberGroups,
  addons,
  membersMayLeave,
  teams,
  policies,
  policyTemplates,
  policyTemplatesFrom,
  snapshots,
  monitoring,
  sample: z.boolean().default(false).describe("Whether to run a small sample Deployment, spread over the members."),
};

/** The keys' values as typed by the operator, defaults filled in. */
export type Sections = { [K in keyof typeof sections]: z.output<(typeof sections)[K]> };

/**
 * A deployment with every default filled in, read-only all the way down. `Secret` is how its secrets are written: text
 * in here, `pulumi.Output<string>` once stacks/config.ts has wrapped them. Kubeconfig files have been read: those
 * members' credentials are of kind `kubeconfig` too.
 */
export type Deployment<Secret = string> = Resolved<
  Omit<Sections, Changed> & {
    name: string;
    pki: Sections["pki"] & { signRequests: boolean };
    placement: ReturnType<typeof resolvePlacement>;
    etcd: Extract<Sections["etcd"], { kind: "managed" }> | ReachedEtcd;
    controlPlane: ReturnType<typeof resolveComponents>;
    members: (Omit<TypedMember, "credentials" | "syncMode" | "agent"> &
      ChosenMode & { credentials: Credentials; agent: Agent })[];
  },
  Secret
> & {
  /** Members of the stacks among `teams`. */
  readonly teamMembers: readonly TeamMember<Secret>[];
  readonly addons: readonly Addon[];
  readonly policies: readonly PolicyObject[];
  readonly rebalancers: readonly Rebalancer[];
};

/** Sections that a deployment has in another form, or not at all. */
type Changed =
  | "name"
  | "placement"
  | "pki"
  | "etcd"
  | "controlPlane"
  | "members"
  | "memberGroups"
  | "addons"
  | "policies"
  | "policyTemplatesFrom";

export type Placement<Secret = string> = Deployment<Secret>["placement"];
export type LocalPlacement<Secret = string> = Extract<Placement<Secret>, { kind: "local" }>;
export type HostsPlacement<Secret = string> = Extract<Placement<Secret>, { kind: "hosts" }>;
export type KubernetesPlacement<Secret = string> = Extract<Placement<Secret>, { kind: "kubernetes" }>;
