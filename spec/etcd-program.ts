import { z } from "zod";
import type { Context } from "./context.ts";
import type { Deployment, Placement } from "./deployment.ts";
import { checkEtcd, managed, resolveManaged } from "./etcd/etcd.ts";
import { words } from "./field.ts";
import { checkHooks, checkHooksOnHosts, type TypedHook } from "./hooks.ts";
import { checkKeptProgram, checkOwnName } from "./kept-name.ts";
import { authorityKeys } from "./pki/authority-keys.ts";
import { checkPki, pki } from "./pki/pki.ts";
import { checkEtcdHosts, checkHosts } from "./placement/hosts-check.ts";
import { hosts, type TypedHosts } from "./placement/hosts.ts";
import { checkKubernetes } from "./placement/kubernetes-check.ts";
import { kubernetes, type TypedKubernetes } from "./placement/kubernetes.ts";
import { checkPinned } from "./placement/pinned-images.ts";
import { directoryOf, local, resolvePlacement } from "./placement/placement.ts";
import { podPrograms } from "./placement/pod-settings.ts";
import { checkRemote } from "./placement/remote-check.ts";
import { checkWrittenOnHosts } from "./placement/written-on-hosts.ts";
import { type Problem, SpecError } from "./problems.ts";
import { program } from "./program.ts";
import { frozen } from "./read-stack.ts";
import { parseSections } from "./sections.ts";
import { checkRestore } from "./snapshots/restore.ts";
import { checkApart, checkSnapshots, resolveSnapshots, snapshots } from "./snapshots/snapshots.ts";
import { refuseVolumes } from "./snapshots/volume.ts";
import { checkDates } from "./values/dates.ts";
import { ownName } from "./values/name.ts";
import { versions } from "./versions.ts";

/** Hosts with members of etcd and what takes snapshots of it, and nothing else. */
const hostsOfEtcd = hosts.omit({ loadBalancer: true }).extend({
  hosts: z.array(hosts.shape.hosts.element.omit({ controlPlane: true })).min(1),
  components: z.strictObject({ "etcd-backup": z.array(words("the name of a host")).min(1).optional() }).prefault({}),
});

/** Every key of the stack file of an `etcd` stack. They mean what they mean for a whole deployment, as far as it is about etcd. */
export const etcdSections = {
  program,
  name: ownName,
  versions: versions.unwrap().pick({ etcd: true }).prefault({}),
  placement: z.discriminatedUnion("kind", [local, hostsOfEtcd, kubernetes]).prefault({ kind: "local" }),
  pki: pki
    .unwrap()
    .pick({ authorityValidity: true, certificateValidity: true, renewBefore: true })
    .extend({ authorityKeys: authorityKeys.unwrap().pick({ etcd: true, "etcd-peer": true }).prefault({}) })
    .prefault({}),
  etcd: managed.omit({ overrides: true }).prefault({ kind: "managed" }),
  snapshots,
};

type Typed = { [K in keyof typeof etcdSections]: z.output<(typeof etcdSections)[K]> };

/** An etcd by itself, every default filled in: what a deployment with a managed one has of it. */
export interface EtcdProgram<Secret = string> extends Pick<Deployment<Secret>, "program" | "name" | "snapshots"> {
  readonly versions: Pick<Deployment["versions"], "etcd">;
  readonly placement: Placement<Secret>;
  readonly pki: Pick<Deployment["pki"], "authorityValidity" | "certificateValidity" | "renewBefore" | "authorityKeys">;
  readonly etcd: Extract<Deployment<Secret>["etcd"], { readonly kind: "managed" }>;
}

/**
 * Fills in the defaults and checks all of it.
 * @throws SpecError with every problem at once
 */
export function resolveEtcdProgram(config: unknown, context: Context): EtcdProgram {
  const { parsed, problems } = parseSections(etcdSections, config);
  const all = [...problems, ...check(parsed, context)];
  all.push(...checkDates((config ?? {}) as Readonly<Record<string, unknown>>, all));
  if (all.length > 0) throw new SpecError(context.stack, all);
  const typed = parsed as Typed;
  return frozen({
    ...typed,
    name: typed.name ?? context.stack,
    placement: resolvePlacement(asDeployed(typed.placement), context),
    etcd: { ...resolveManaged(typed.etcd, context), overrides: [] },
    snapshots: resolveSnapshots(typed.snapshots, context),
  }) as unknown as EtcdProgram;
}

/** A placement in the form that one of a whole deployment has. */
function asDeployed(typed: Typed["placement"]): Parameters<typeof resolvePlacement>[0] {
  if (typed.kind !== "hosts") return typed;
  return {
    ...typed,
    hosts: typed.hosts.map((host) => ({ ...host, controlPlane: true })),
    loadBalancer: { kind: "none" },
  } as TypedHosts;
}

function check(parsed: Partial<Typed>, context: Context): Problem[] {
  const { versions, placement: typed, pki, etcd: own, snapshots } = parsed;
  const placement = typed && asDeployed(typed);
  const etcd = own && { ...own, overrides: [] };
  return [
    ...checkKeptProgram("etcd", context),
    ...("name" in parsed ? checkOwnName(parsed.name, context) : []),
    ...(pki ? checkPki(pki) : []),
    ...(etcd && versions ? checkEtcd(etcd, versions) : []),
    ...(placement ? [...checkHooks(placement.hooks), ...checkPhases(placement.hooks)] : []),
    ...(placement?.kind === "hosts"
      ? [
          ...checkHosts(placement, etcd),
          ...checkHooksOnHosts(placement),
          ...(etcd ? checkEtcdHosts(placement, etcd) : []),
          ...(snapshots ? checkWrittenOnHosts(snapshots, context) : []),
        ]
      : []),
    ...(placement?.kind === "kubernetes" ? checkKubernetes(placement, context) : []),
    ...(placement?.kind === "kubernetes" && versions
      ? checkPinned(["placement", "images", "pinned"], placement.images.pinned, { versions })
      : []),
    ...(placement?.kind === "kubernetes" ? checkPods(placement.pods) : []),
    ...(placement && placement.kind !== "local" ? checkRemote(placement.kind, { snapshots }) : []),
    ...(snapshots ? checkSnapshots(snapshots) : []),
    ...(etcd && snapshots ? checkRestore(etcd.restore, etcd.members, snapshots.targets) : []),
    ...(snapshots && placement?.kind === "local" ? refuseVolumes(snapshots.targets) : []),
    ...(snapshots && placement ? checkApart(snapshots, directoryOf(placement, context)) : []),
  ];
}

/** Finds settings for pods that there are not. */
const checkPods = (pods: TypedKubernetes["pods"]): Problem[] =>
  Object.keys(pods).flatMap((program) =>
    podPrograms.includes(program) && !["etcd", "etcd-backup"].includes(program)
      ? [
          {
            path: ["placement", "pods", program],
            message: 'a stack of the program etcd has no such pods, want "etcd" or "etcd-backup"',
          },
        ]
      : [],
  );

const checkPhases = (hooks: readonly TypedHook[]): Problem[] =>
  hooks.flatMap(({ phase }, i) =>
    phase === "etcd"
      ? []
      : [
          {
            path: ["placement", "hooks", i, "phase"],
            message: `got "${phase}", want "etcd": a stack of the program etcd has no other phase`,
          },
        ],
  );
