import type * as pulumi from "@pulumi/pulumi";
import type { Addon as Settings } from "../spec/addons/addons.ts";
import { isKarmadas } from "../spec/addons/objects.ts";
import { readyBefore } from "./addon-order.ts";
import { clusterProvider } from "./cluster-provider.ts";
import { Addon, type AddonArgs, type Beyond, type Destination } from "./addon.ts";
import { addonName, addonObjectName, asNamedByAddon, asPolicy, type ClusterKey } from "./object-names.ts";
import type { Pki } from "./pki.ts";
import type { Placement } from "./placement.ts";

/** How to reach a cluster, and when. */
export interface Way extends Pick<Destination, "needs" | "owner"> {
  /** Kubeconfig of the cluster's administrator. */
  readonly kubeconfig: pulumi.Input<string>;
}

/** A member. */
export interface WayToMember extends Way {
  /** Labels of the member's Cluster, as declared. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The clusters that addons are installed into. */
export interface AddonClusters {
  readonly karmada: Way;
  /** By name. */
  readonly members: ReadonlyMap<string, WayToMember>;
  readonly host: Placement["hostCluster"];
}

/** What addons are made with. */
export interface AddonGround extends AddonClusters {
  /** Issues their certificates. */
  readonly pki: Pick<Pki, "pair" | "trust">;
}

/** Makes every addon, each after those in its `after`. @param name of the deployment's resources */
export function createAddons(
  name: string,
  addons: readonly Settings[],
  { pki, ...clusters }: AddonGround,
  parent: pulumi.Resource,
): void {
  const destinations = new Destinations(name, clusters, parent);
  const made = new Map<string, Addon>();
  const make = (addon: Settings): Addon => {
    const known = made.get(addon.name);
    if (known !== undefined) return known;
    addons.filter((other) => addon.after.includes(other.name)).forEach(make);
    const after: AddonArgs["after"] = (destination) => readyBefore(addon.after, destination, made);
    const beyond = beyondOf(addon, clusters);
    const named: AddonArgs["named"] = (object, { key, name: member }) => ({
      name: addonObjectName(name, key, object),
      formerly: [
        asNamedByAddon(name, addon.name, member, object),
        ...(key === "karmada" && isKarmadas(object) ? [asPolicy(name, object, parent)] : []),
      ],
    });
    const args = { addon, named, destinations: destinations.of(addon), pki, after, ...(beyond && { beyond }) };
    const resource = new Addon(addonName(name, addon.name), args, { parent });
    made.set(addon.name, resource);
    return resource;
  };
  addons.forEach(make);
}

/** The members that objects are propagated to: those named or matched by labels, else all. */
function beyondOf({ target }: Settings, { karmada, members }: AddonClusters): Beyond | undefined {
  if (target.kind !== "propagated") return undefined;
  const labels = Object.entries(target.labels ?? {});
  const chosen = [...members].filter(
    ([name, member]) =>
      (target.members?.includes(name) ?? true) && labels.every(([key, value]) => member.labels[key] === value),
  );
  return {
    karmadaKubeconfig: karmada.kubeconfig,
    members: chosen.map(([name]) => name),
    needs: chosen.flatMap(([, { needs }]) => needs),
  };
}

/** The clusters in use, each with a provider. */
class Destinations {
  private readonly known = new Map<string, Destination>();
  private readonly name: string;
  private readonly clusters: AddonClusters;
  private readonly parent: pulumi.Resource;

  constructor(name: string, clusters: AddonClusters, parent: pulumi.Resource) {
    this.name = name;
    this.clusters = clusters;
    this.parent = parent;
  }

  of({ name, target }: Settings): readonly Destination[] {
    const { karmada, members, host } = this.clusters;
    switch (target.kind) {
      case "controlPlane":
      case "propagated":
        return [this.reached("karmada", karmada, { runs: false })];
      case "members":
        return target.members.map((member) =>
          this.reached(`member-${member}`, members.get(member)!, { name: member, runs: true }),
        );
      case "host":
        if (host === undefined) throw new Error(`${name}: there is no host cluster`);
        return [{ ...host, key: "host", runs: true }];
    }
  }

  private reached(
    key: ClusterKey,
    { kubeconfig, needs, owner }: Way,
    about: Pick<Destination, "name" | "runs">,
  ): Destination {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const provider = clusterProvider(
      `${this.name}-addons-${key}`,
      {
        kubeconfig,
        clusterIdentifier: `${this.name}-${key}`,
        enableConfigMapMutable: true,
        enableSecretMutable: true,
        // Without enablePatchForce what others manage is refused.
      },
      { parent: this.parent, dependsOn: [...needs] },
    );
    const destination = { key, provider, needs, ...about, ...(owner && { owner }) };
    this.known.set(key, destination);
    return destination;
  }
}
