import type { Addon } from "../addons/addons.ts";
import type { ManifestObject } from "../addons/manifests.ts";
import { groupOf } from "../addons/object-scope.ts";
import type { Deployment, Sections } from "../deployment.ts";
import type { Problem } from "../problems.ts";
import { chosenMode } from "./sync-mode.ts";

/**
 * Finds Services that addons spread across clusters while the feature for it is switched off, which Karmada does not
 * report.
 */
export function checkMultiClusterServices(
  addons: readonly Addon[],
  { controlPlane, members = [] }: Partial<Sections>,
): Problem[] {
  const services = addons.flatMap(({ name, objects }) => objects.filter(isAcross).map((object) => ({ name, object })));
  if (services[0] === undefined || controlPlane === undefined) return [];
  const why = `want true: the addon ${services[0].name} has a MultiClusterService`;
  const told = members.find(
    (member) =>
      chosenMode(member, controlPlane.networks).syncMode === "Pull" &&
      services.some(({ object }) => provides(object, member.name)),
  );
  return [
    { program: "karmada-controller-manager" as const, message: why },
    ...(told ? [{ program: "karmada-agent" as const, message: `${why}, and ${told.name} is in Pull mode` }] : []),
  ].flatMap(({ program, message }) => {
    const got = controlPlane[program].featureGates[gate];
    if (got === true) return [];
    const path = ["controlPlane", program, "featureGates", gate];
    return [{ path, message: `${got === undefined ? "missing" : "got false"}, ${message}` }];
  });
}

/** Whether karmada-controller-manager handles them at all. */
export const actsForMultiClusterServices = ({
  "karmada-controller-manager": { featureGates },
}: Pick<Deployment<unknown>["controlPlane"], "karmada-controller-manager">): boolean => featureGates[gate] === true;

/** Name of the kind and of the feature gate. */
const gate = "MultiClusterService";

const isAcross = (object: ManifestObject): boolean =>
  groupOf(object) === "networking.karmada.io" &&
  object.kind === gate &&
  (specOf(object).types ?? []).includes("CrossCluster");

/** Whether its pods in a member are to be reached from others: those in every member if none is named. */
function provides(object: ManifestObject, member: string): boolean {
  const providers = specOf(object).providerClusters ?? [];
  return providers.length === 0 || providers.some(({ name }) => name === member);
}

const specOf = ({ spec }: ManifestObject) =>
  (spec ?? {}) as {
    readonly types?: readonly string[];
    readonly providerClusters?: readonly { readonly name: string }[];
  };
