import { z } from "zod";
import { checkArguments } from "./arguments.ts";
import { type ComponentName, componentNames } from "./component-names.ts";
import { extraArgs } from "./extra-args.ts";
import { type Resolved, text, whole } from "./field.ts";
import type { Problem } from "./problems.ts";
import { cores, size } from "./units.ts";
import type { Versions } from "./versions.ts";

const settings = {
  replicas: whole(1, 5).default(1).describe("How many run. They are changed one after another."),
  logLevel: whole(0, 10).default(2).describe("Verbosity, as `--v`."),
  extraArgs,
  featureGates: z
    .record(text(/^[A-Za-z][\w]*$/, 'the name of a feature gate, such as "Failover"'), z.boolean())
    .default({})
    .describe("Feature gates to switch on or off."),
  resources: z
    .strictObject({
      memory: size.optional().describe("Most memory it may use."),
      cpu: cores.optional().describe("Most cores it may use."),
    })
    .prefault({})
    .describe("Limits; none when left out."),
};
const core = z.strictObject(settings).prefault({});
const addon = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe("Whether it runs at all; only the addons can be off: descheduler, search and metrics-adapter."),
    ...settings,
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
    "kube-apiserver": core.describe("API server of the Karmada control plane."),
    "kube-controller-manager": core.describe("The few controllers of Kubernetes that Karmada needs."),
    "karmada-aggregated-apiserver": core.describe("Serves the Cluster API and the way through to members."),
    "karmada-controller-manager": core.describe("Karmada's own controllers."),
    "karmada-scheduler": core.describe("Chooses members for what is propagated."),
    "karmada-webhook": core.describe("Checks and completes Karmada's objects."),
    "karmada-descheduler": addon.describe("Moves replicas away from members that cannot run them."),
    "karmada-search": addon.describe("Search over, and a proxy to, the objects of all members."),
    "karmada-metrics-adapter": addon.describe("Metrics of all members for autoscaling."),
  })
  .prefault({})
  .describe("The programs of the control plane.");

export { type ComponentName, componentNames };

export type ControlPlane = z.output<typeof controlPlane>;

/** What every component can be told. */
export type ComponentSettings = Resolved<z.output<z.ZodObject<typeof settings>>, never>;

/** Components others send requests to: more than one needs a load balancer in front. */
const serving: readonly ComponentName[] = [
  "kube-apiserver",
  "karmada-aggregated-apiserver",
  "karmada-webhook",
  "karmada-search",
  "karmada-metrics-adapter",
];

/** Finds more replicas than a placement can put to use. */
export function checkReplicas(controlPlane: ControlPlane, placement: { readonly kind: "local" }): Problem[] {
  return serving
    .filter((component) => controlPlane[component].replicas > 1)
    .map((component) => ({
      path: ["controlPlane", component, "replicas"],
      message: `got ${controlPlane[component].replicas}, want 1 with placement.kind "${placement.kind}": it has no load balancer in front of several`,
    }));
}

/** Finds flags and feature gates that the chosen versions do not know. */
export function checkComponents(controlPlane: ControlPlane, versions: Versions): Problem[] {
  return componentNames.flatMap((component) =>
    checkArguments(component, controlPlane[component], versions, ["controlPlane", component]),
  );
}
