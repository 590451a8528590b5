import { z } from "zod";
import { fieldNotes, text, whole, type Resolved } from "../field.ts";
import type { Problem } from "../problems.ts";
import { memberCount, quota } from "./size.ts";

/**
 * Kinds of objects that an etcd of their own may hold, as kube-apiserver writes them: `group/resource`. Only kinds that
 * are recreated by themselves, since kube-apiserver moves nothing that is already stored; and only kinds compiled into
 * it, unlike Karmada's own (`--etcd-servers-overrides` in
 * https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/).
 */
const splittable = ["/events", "coordination.k8s.io/leases"] as const;

const override = z.strictObject({
  name: text(/^[a-z][a-z0-9]{0,14}$/, 'a short name of letters and digits such as "events"').describe(
    "What it is called. Its members are `etcd-<name>-0` and so on.",
  ),
  resources: z
    .array(z.enum(splittable))
    .min(1)
    .describe(
      "Kinds of objects it holds, each as `group/resource`. Objects of these kinds that are in the first etcd already stay there, unseen.",
    ),
  members: memberCount.default(1).describe("Number of its members."),
  quota: quota.describe("Size its database may grow to before it turns read-only."),
  replace: z
    .record(z.string().register(fieldNotes, { want: "the name of a member" }), whole(1, 1_000_000))
    .default({})
    .describe("Members to replace by new ones, like `etcd.replace`: `etcd-events-0: 1`."),
});

export const overrides = z
  .array(override)
  .default([])
  .describe(
    "Further etcd clusters, each for kinds of objects that are many and change often. They are kept like the first one.",
  );

/** One of them, as it is read. */
export type Override = Resolved<z.output<typeof override>, never>;

/** Names of its members, in their order. */
export const overrideMembers = ({ name, members }: Pick<Override, "name" | "members">): string[] =>
  Array.from({ length: members }, (_, i) => `etcd-${name}-${i}`);

/** Where a stack file has a member replaced: that of an override is not known to the first etcd. */
export function replaceFieldOf(member: string): string {
  const [, override] = /^etcd-([a-z][a-z0-9]*)-\d+$/.exec(member) ?? [];
  return override === undefined ? "etcd.replace" : `etcd.overrides[].replace of ${override}`;
}

/** What may have them. */
type MayHaveOverrides =
  | { readonly kind: "managed"; readonly members: readonly string[]; readonly overrides: readonly Override[] }
  | { readonly kind: "external" };

/** The overrides of an etcd. */
export const overridesIn = (etcd: MayHaveOverrides | undefined): readonly Override[] =>
  etcd?.kind === "managed" ? etcd.overrides : [];

/** Names of its members, and of theirs. */
export const allMembersIn = (etcd: MayHaveOverrides): readonly string[] =>
  etcd.kind === "managed" ? [...etcd.members, ...etcd.overrides.flatMap(overrideMembers)] : [];

/** Offset of its first member's port from that of etcd-0, when both are exposed from a host cluster. */
export const offsetOf: Readonly<Record<SplitKind, number>> = { events: 10, leases: 20 };

/** The group of the members that hold everything else, if there are overrides: none can have this name. */
export const firstGroup = "first-one";

/** Most members of an etcd. */
export const mostMembers = 7;

type Kinds = readonly (typeof splittable)[number][];

/** Short for a kind of objects. */
export type SplitKind = "events" | "leases";

/** The first of its kinds, which determines its ports: no other override has it. */
export const firstKind = ({ resources }: { readonly resources: Kinds }): SplitKind =>
  resources.includes("/events") ? "events" : "leases";

/** The override that a process is a member of, and its number there. */
export function overrideOf<T extends Pick<Override, "name" | "members">>(
  process: string,
  all: readonly T[],
): { readonly override: T; readonly number: number } | undefined {
  const override = all.find((each) => overrideMembers(each).includes(process));
  return override && { override, number: overrideMembers(override).indexOf(process) };
}

/** Finds duplicate names and kinds, and unknown members to replace. */
export function checkOverrides(all: readonly Override[]): Problem[] {
  const kinds = all.flatMap(({ name, resources }, i) =>
    resources.map((resource, j) => ({ name, resource, path: ["etcd", "overrides", i, "resources", j] })),
  );
  return [
    ...all.flatMap(({ name }, i) =>
      all.findIndex((other) => other.name === name) < i
        ? [{ path: ["etcd", "overrides", i, "name"], message: `got "${name}" a second time, want another name` }]
        : [],
    ),
    ...kinds.flatMap(({ resource, path }, i) => {
      const first = kinds.findIndex((other) => other.resource === resource);
      return first < i ? [{ path, message: `got "${resource}", which ${kinds[first]?.name} holds already` }] : [];
    }),
    ...all.flatMap((each, i) =>
      Object.keys(each.replace)
        .filter((name) => !overrideMembers(each).includes(name))
        .map((name) => ({
          path: ["etcd", "overrides", i, "replace", name],
          message: `no member has this name, want one of ${overrideMembers(each).join(", ")}`,
        })),
    ),
  ];
}
