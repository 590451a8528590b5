import { z } from "zod";
import type { Context } from "../context.ts";
import { versionOf } from "./component-versions.ts";
import { type Resolved, text, whole, words } from "../field.ts";
import { hostsOf, type TypedHosts } from "../placement/hosts.ts";
import type { Problem } from "../problems.ts";
import { resources } from "../values/resources.ts";
import { pinnedVersions, type Versions } from "../versions.ts";
import { checkAdmission } from "./admission.ts";
import { checkArguments } from "./arguments.ts";
import { type ComponentName, componentNames, type SettableProgram, settablePrograms } from "./component-names.ts";
import { type ComponentFiles, componentFiles, filesOf } from "./component-files.ts";
import { encryption } from "./encryption.ts";
import { checkExclusiveFlags } from "./exclusive-flags.ts";
import { extraArgs, extraArgsWithFiles } from "./extra-args.ts";
import { failover } from "./failover.ts";
import { checkOidc } from "./oidc.ts";

const publishers = { karmada: "Karmada", kubernetes: "Kubernetes" };
const componentFields = (publisher: "karmada" | "kubernetes") => ({
  version: z
    .enum(pinnedVersions[publisher])
    .optional()
    .describe(`Version of this program of ${publishers[publisher]} alone. Default: versions.${publisher}.`),
  replicas: whole(1, 5)
    .optional()
    .describe(
      "How many run; they are changed one after another. Default: 1 on one machine, one on each control-plane host, 2 in a host cluster.",
    ),
  logLevel: whole(0, 10).default(2).describe("Verbosity, as `--v`."),
  extraArgs: extraArgsWithFiles,
  files: componentFiles,
  featureGates: z
    .record(text(/^[A-Za-z][\w]*$/, 'the name of a feature gate, such as "Failover"'), z.boolean())
    .default({})
    .describe("Feature gates to switch on or off."),
  resources,
});
/** One process for each member: no replicas, and no files of its own. */
const { replicas: _, files: _files, ...reduced } = componentFields("karmada");
const memberProgramFields = { ...reduced, extraArgs };
const agent = z.strictObject(memberProgramFields).prefault({});
const estimator = z
  .strictObject({
    enabled: z.boolean().default(false).describe("Whether each member gets one, and karmada-scheduler asks them."),
    ...memberProgramFields,
  })
  .prefault({});
const kubernetesComponent = z.strictObject(componentFields("kubernetes")).prefault({});
const karmadaComponent = z.strictObject(componentFields("karmada")).prefault({});
const optionalComponent = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether it runs at all; only the optional programs can be off: descheduler, search and metrics-adapter.",
      ),
    ...componentFields("karmada"),
  })
  .prefault({});

export const controlPlane = z
  .strictObject({
    propagateRbac: z
      .boolean()
      .default(true)
      .describe(
        "Whether Roles, ClusterRoles and their bindings can be propagated. It gives karmada-controller-manager `bind` and `escalate`, which makes it the equal of an administrator.",
      ),
    karmadactlRegister: z
      .boolean()
      .default(false)
      .describe(
        "Whether `karmadactl register` can register agents. It takes grants by which whoever holds a bootstrap token becomes administrator; members of the stack file need none of them.",
      ),
    networks: z
      .array(words("the name of a network"))
      .default([])
      .describe("Internal networks the control plane is in, by names of your own, for members with `syncMode: auto`."),
    probeMembers: z
      .boolean()
      .default(true)
      .describe(
        "Whether each preview and `up` tries to connect to the API servers of members with `syncMode: auto` from where they are dialled, this machine or the hosts, for two seconds, from hosts for three and the login, and warns of those that do not answer there (not in a host cluster). Members that answer by their kubeconfigs are asked for their version, and whether they serve what policies and propagated addons place in them; what is missing is warned of.",
      ),
    schedulers: z
      .array(words("the name of a scheduler"))
      .default([])
      .describe(
        "Names (`--scheduler-name`) of schedulers of your own that run beside karmada-scheduler, for `policies[].schedulerName`: a policy that names another one is warned of.",
      ),
    failover,
    encryption,
    "kube-apiserver": kubernetesComponent.describe("API server of the Karmada control plane."),
    "kube-controller-manager": kubernetesComponent.describe("The few controllers of Kubernetes that Karmada needs."),
    "karmada-aggregated-apiserver": karmadaComponent.describe("Serves the Cluster API and the way through to members."),
    "karmada-controller-manager": karmadaComponent.describe("Karmada's own controllers."),
    "karmada-scheduler": karmadaComponent.describe("Chooses members for what is propagated."),
    "karmada-webhook": karmadaComponent.describe("Checks and completes Karmada's objects."),
    "karmada-descheduler": optionalComponent.describe("Moves replicas away from members that cannot run them."),
    "karmada-search": optionalComponent.describe("Search over, and a proxy to, the objects of all members."),
    "karmada-metrics-adapter": optionalComponent.describe("Metrics of all members for autoscaling."),
    "karmada-agent": agent.describe("One for each member in Pull mode: brings to it what is propagated."),
    "karmada-scheduler-estimator": estimator.describe(
      "One for each member: counts the replicas it has room for, for policies that divide by what is available, and for the descheduler. Its gRPC port is open on every interface, to clients with a certificate of the control plane.",
    ),
  })
  .prefault({})
  .describe("The programs of the control plane.");

export type ControlPlane = z.output<typeof controlPlane>;

/** Settings of every component. */
export type ComponentSettings = Resolved<
  Omit<z.output<z.ZodObject<ReturnType<typeof componentFields>>>, "version" | "files"> & { version: string },
  never
>;

/** Components that serve requests: more than one replica needs a load balancer in front. */
const serving: readonly ComponentName[] = [
  "kube-apiserver",
  "karmada-aggregated-apiserver",
  "karmada-webhook",
  "karmada-search",
  "karmada-metrics-adapter",
];

/** Finds more replicas than a placement can put to use. */
export function checkReplicas(controlPlane: ControlPlane, placement: TypedPlacement): Problem[] {
  if (placement.kind === "kubernetes") return [];
  const several = placement.kind === "local" ? serving : componentNames;
  const why =
    placement.kind === "local"
      ? 'with placement.kind "local": it has no load balancer in front of several'
      : "or fewer: each has a control-plane host to itself";
  return several.flatMap((component) => {
    const most = mostReplicas(placement, component);
    const { replicas = most } = controlPlane[component];
    if (replicas <= most) return [];
    return [{ path: ["controlPlane", component, "replicas"], message: `got ${replicas}, want ${most} ${why}` }];
  });
}

/**
 * Fills in versions, contents of files, and replicas: as many as there are places, in a host cluster one to spare.
 *
 * @param read contents of the files that it names, by path @default none: files are not needed
 */
export function resolveComponents(
  controlPlane: ControlPlane,
  placement: TypedPlacement,
  versions: Versions,
  read: Context["files"] = {},
) {
  const versioned = settablePrograms.map((program) => [
    program,
    { ...controlPlane[program], version: versionOf(program, controlPlane, versions) },
  ]);
  const all = { ...controlPlane, ...Object.fromEntries(versioned) } as ControlPlane;
  const filled = componentNames.map((component) => [
    component,
    {
      replicas: usualReplicas(placement, component),
      ...all[component],
      files: filesOf(controlPlane[component].files, read),
    },
  ]);
  return { ...all, ...Object.fromEntries(filled) } as FilledIn;
}

type TypedPlacement =
  { readonly kind: "local" } | { readonly kind: "kubernetes" } | Pick<TypedHosts, "kind" | "hosts" | "components">;

type FilledIn = {
  [K in keyof ControlPlane]: K extends ComponentName
    ? Omit<Versioned<ControlPlane[K]>, "files"> & { replicas: number; files: ComponentFiles }
    : K extends SettableProgram
      ? Versioned<ControlPlane[K]>
      : ControlPlane[K];
};

type Versioned<T> = Omit<T, "version"> & { version: string };

const usualReplicas = (placement: TypedPlacement, component: ComponentName): number =>
  placement.kind === "kubernetes" ? 2 : mostReplicas(placement, component);

const mostReplicas = (placement: Exclude<TypedPlacement, { kind: "kubernetes" }>, component: ComponentName): number =>
  placement.kind === "local" ? 1 : Math.min(5, hostsOf(placement, component).length);

/** Finds flags and feature gates that the chosen versions do not know, and flags of its API servers that do not go together. */
export function checkComponents(controlPlane: ControlPlane, versions: Versions): Problem[] {
  const each = settablePrograms.flatMap((program) =>
    checkArguments(program, controlPlane[program], versionOf(program, controlPlane, versions), [
      "controlPlane",
      program,
    ]),
  );
  const { "kube-apiserver": apiserver } = controlPlane;
  const path = ["controlPlane", "kube-apiserver"];
  return [
    ...each,
    ...checkOidc(apiserver, path),
    ...checkAdmission(apiserver, path),
    ...checkExclusiveFlags(apiserver, path),
  ];
}
