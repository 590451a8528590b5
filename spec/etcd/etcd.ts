import { z } from "zod";
import type { Context } from "../context.ts";
import { checkArguments } from "../control-plane/arguments.ts";
import { extraArgs } from "../control-plane/extra-args.ts";
import { fieldNotes, text, whole } from "../field.ts";
import { lastPort } from "../placement/ports.ts";
import type { Problem } from "../problems.ts";
import { resolveRestore, restore } from "../snapshots/restore.ts";
import { stackName } from "../stack-name.ts";
import { resources } from "../values/resources.ts";
import { size } from "../values/units.ts";
import type { Versions } from "../versions.ts";
import { checkAccess, checkPair, clientPair, etcdEndpoints, etcdPrefix } from "./endpoints.ts";
import { checkEtcdFlags } from "./flags.ts";
import { checkOverrides, overrides } from "./overrides.ts";
import { memberCount, quota, sizeProblem } from "./size.ts";

const memberName = text(
  /^etcd-[0-6]$/,
  "a name from etcd-0 to etcd-6 (a member keeps its name for life: list another one to replace it by a new member, or raise its number in etcd.replace)",
);

const names = z
  .array(memberName)
  .refine((names) => new Set(names).size === names.length, {
    error: ({ input }) => `got ${firstTwice(input as string[])} twice, want each name once`,
  })
  .refine((names) => sizeProblem(names.length) === undefined, {
    error: ({ input }) => `got ${(input as string[]).length} names, ${sizeProblem((input as string[]).length)}`,
  });

const firstTwice = (names: readonly string[]) => names.find((name, i) => names.indexOf(name) !== i);

/** The names, in their order: a number stands for that many from etcd-0 on. */
const members = z
  .union([memberCount, names])
  .register(fieldNotes, { want: "1, 3, 5 or 7, or a list of names such as [etcd-0, etcd-2, etcd-3]" })
  .default(3)
  .transform((given) => (typeof given === "number" ? firstNames(given) : given.toSorted()))
  .describe(
    "Number of members, or their names. Members that are new here join one by one, those that are gone leave, without an interruption.",
  );

const firstNames = (count: number): string[] => Array.from({ length: count }, (_, i) => `etcd-${i}`);

const replace = z
  .record(memberName.describe("the name of a member"), whole(1, 1_000_000))
  .default({})
  .describe(
    "Members to replace by new ones of the same name, with empty data, because their disk is gone or bad: `etcd-1: 1`, and a higher number each further time.",
  );

const defragment = z
  .strictObject({
    fragmentation: z
      .number()
      .min(0.1)
      .max(0.99)
      .register(fieldNotes, { want: "a number from 0.1 to 0.99" })
      .default(0.45)
      .describe("Part of the database that is unused: above it, `up` defragments."),
    size: size.default("100Mi").describe("Size of the database above which it is worth it."),
  })
  .prefault({})
  .describe("When to defragment the members, one by one, the leader last.");

export const managed = z.strictObject({
  kind: z.literal("managed").describe("Members of our own, with TLS for clients and peers."),
  members,
  quota: quota.describe("Size the database may grow to before it turns read-only."),
  replace,
  defragment,
  protect: z
    .boolean()
    .default(false)
    .describe(
      "Whether the data are protected: the preview of `destroy`, and of every edit that would take them away, refuses it. It takes an `up` to take effect, also when it is taken away again.",
    ),
  foreignMembers: z
    .enum(["refuse", "ignore", "remove"])
    .default("refuse")
    .describe("What to do when the cluster has members that this deployment has never had."),
  extraArgs: extraArgs.describe(
    "Further command-line flags by name, without the leading dashes. Changing one restarts the members one by one.",
  ),
  resources: resources.describe(
    "Limits of each member; none when left out. Changing one restarts the members one by one.",
  ),
  overrides,
  restore: restore.optional(),
});

const external = z
  .strictObject({
    kind: z.literal("external").describe("A cluster that exists already; nothing but our prefix is touched."),
    stack: stackName("etcd")
      .optional()
      .describe(
        "Name of a stack of the program `etcd` whose cluster it is, with its organization and project unless they are those of this one; in the same backend. It takes the place of `endpoints`, `ca`, `certificate` and `key`.",
      ),
    endpoints: etcdEndpoints.endpoints
      .optional()
      .describe("Client addresses of its members. Has to be there without `stack`, as the next three."),
    ca: etcdEndpoints.ca.optional().describe("Authority that signed its certificates, in PEM form."),
    certificate: clientPair.certificate.optional().describe("Client certificate, in PEM form."),
    key: clientPair.key.optional().describe("Private key of the client certificate, in PEM form."),
    prefix: etcdPrefix("/registry/karmada").describe("Keys are written below this prefix only."),
    maintenance: z
      .strictObject(clientPair)
      .optional()
      .describe(
        "Who takes snapshots and sees the state of each member, where etcd's authentication is on: a user with the role root, which `certificate` need not have then. Default: `certificate`.",
      ),
    adopt: z
      .boolean()
      .default(false)
      .describe(
        "Whether to go on with what is below the prefix already: the data of a Karmada that is no more, as `destroy` leaves them here. Refused while an API server uses them.",
      ),
  })
  .superRefine(fromStackOrTyped, { when: always });

/** How an external etcd is reached, where no stack gives it out: what each field has to hold. */
const wantedOfAccess = {
  endpoints: "a list of addresses, or etcd.stack: the name of a stack of the program etcd",
  ca: "a certificate in PEM form",
  certificate: "a certificate in PEM form",
  key: "a private key in PEM form",
} satisfies Record<keyof typeof etcdEndpoints, string>;

/** Either a stack gives out how the cluster is reached, or all of it is typed here. */
function fromStackOrTyped(typed: Readonly<Record<string, unknown>>, { addIssue }: z.RefinementCtx): void {
  const isThere = (field: string) => (typed[field] ?? undefined) !== undefined;
  if (typed["stack"] === undefined) {
    for (const [field, want] of Object.entries(wantedOfAccess)) {
      if (!isThere(field)) addIssue({ code: "custom", path: [field], message: `missing, want ${want}` });
    }
    return;
  }
  // The etcd of a stack has no use for `maintenance`.
  const beside = [...Object.keys(wantedOfAccess), "maintenance"].filter(isThere);
  if (beside.length > 0) {
    const message = `got a stack beside ${beside.join(", ")}, want one or the other: the stack gives all of it out`;
    addIssue({ code: "custom", path: ["stack"], message });
  }
}

/** For a check that counts what is missing beside what is wrong in the rest. */
function always(): boolean {
  return true;
}

export const etcd = z
  .discriminatedUnion("kind", [managed, external])
  .prefault({ kind: "managed" })
  .describe("Where the control plane keeps its data.");

export type TypedEtcd = z.output<typeof etcd>;

/** Finds flags that the chosen etcd does not know, unknown members to replace, and duplicate kinds. */
export function checkEtcd(etcd: TypedEtcd, versions: Pick<Versions, "etcd">): Problem[] {
  if (etcd.kind !== "managed") return [];
  const unknown = Object.keys(etcd.replace).filter((name) => !etcd.members.includes(name));
  return [
    ...checkArguments("etcd", etcd, versions.etcd, ["etcd"]),
    ...checkEtcdFlags(etcd.extraArgs, versions.etcd),
    ...checkOverrides(etcd.overrides),
    ...unknown.map((name) => ({
      path: ["etcd", "replace", name],
      message: `no member has this name, want one of ${etcd.members.join(", ")}`,
    })),
  ];
}

/** Finds endpoints of an external etcd whose ports the placement would give to programs of ours. */
export function checkEndpoints(etcd: TypedEtcd, { basePort }: { readonly basePort: number }): Problem[] {
  if (etcd.kind !== "external") return [];
  return (etcd.endpoints ?? []).flatMap((endpoint, i) => {
    const port = takenPort(endpoint, basePort);
    if (port === undefined) return [];
    const want = `want one outside ${basePort} to ${lastPort(basePort)}, or another placement.basePort`;
    return [
      { path: ["etcd", "endpoints", i], message: `got port ${port} of this machine, ${want}: the ports overlap` },
    ];
  });
}

/** The port of an endpoint on this machine, if it is among those of a deployment here. */
export function takenPort(endpoint: string, basePort: number): string | undefined {
  const { hostname, port } = new URL(endpoint);
  const here = hostname === "localhost" || hostname.startsWith("127.") || hostname === "[::1]";
  return here && Number(port) >= basePort && Number(port) <= lastPort(basePort) ? port : undefined;
}

/** Finds certificates and keys with which an external etcd cannot be reached. */
export function checkEtcdAccess(etcd: TypedEtcd, now: Date): Problem[] {
  if (etcd.kind !== "external") return [];
  const { maintenance, ca, certificate, key } = etcd;
  const isTyped = ca !== undefined && certificate !== undefined && key !== undefined;
  return [
    ...(isTyped ? checkAccess(["etcd"], { ca, certificate, key }, now) : []),
    ...(maintenance === undefined ? [] : checkPair(["etcd", "maintenance"], maintenance, now)),
  ];
}

/** Makes the paths of its restore absolute. */
export const resolveManaged = <T extends { readonly restore?: z.output<typeof restore> | undefined }>(
  etcd: T,
  context: Context,
): T => (etcd.restore === undefined ? etcd : { ...etcd, restore: resolveRestore(etcd.restore, context) });
