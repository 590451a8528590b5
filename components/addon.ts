import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { RolledOut } from "../lib/members/rolled-out.ts";
import { sha256 } from "../lib/sha256.ts";
import { Rollout } from "../providers/rollout.ts";
import type { Addon as Settings } from "../spec/addons/addons.ts";
import type { ManifestObject } from "../spec/addons/manifests.ts";
import { isCrd, isNamespace } from "../spec/addons/object-scope.ts";
import { isSpread } from "../spec/addons/objects.ts";
import { seconds } from "../spec/values/units.ts";
import { rolledWith, secretsOf } from "./addon-certificates.ts";
import type { Earlier } from "./addon-order.ts";
import { addonLabel, policyOf } from "./addon-policy.ts";
import { KubernetesObject } from "./kubernetes-object.ts";
import { addonType, type ClusterKey, type ObjectNames } from "./object-names.ts";
import type { Pki } from "./pki.ts";

/** A cluster that objects of addons are put into. */
export interface Destination {
  readonly key: ClusterKey;
  /** Its name, if it is a member. */
  readonly name?: string;
  readonly provider: k8s.Provider;
  /** Whether workloads put there actually run there. */
  readonly runs: boolean;
  /** What must exist first. */
  readonly needs: readonly pulumi.Resource[];
  /** What takes the whole cluster with it when it is deleted. @default nothing: objects are deleted one by one */
  readonly owner?: pulumi.Resource;
}

/** What an addon is installed with. */
export interface AddonArgs {
  readonly addon: Settings;
  /** By what Pulumi knows an object. */
  readonly named: (object: ManifestObject, destination: Destination) => ObjectNames;
  readonly destinations: readonly Destination[];
  /** Issues their certificates. */
  readonly pki: Pick<Pki, "pair" | "trust">;
  /** What the addons before it have that it waits for in one of its clusters. */
  readonly after: (destination: Destination) => readonly pulumi.Resource[];
  /** Where its objects are propagated to from there. @default nowhere */
  readonly beyond?: Beyond;
}

/** Members that Karmada propagates objects to. */
export interface Beyond {
  /** Kubeconfig of a Karmada administrator. */
  readonly karmadaKubeconfig: pulumi.Input<string>;
  readonly members: readonly string[];
  /** What must exist before anything is propagated to them. */
  readonly needs: readonly pulumi.Resource[];
}

/**
 * Objects supplied by the operator, in one cluster or several. In each, in this order: the policy that propagates them,
 * if any; CRDs and namespaces; its certificates; everything else; and finally webhooks and APIServices, which would
 * block others until something answers behind them. At the end it waits for what is propagated to arrive in the
 * members. Deleting it deletes them in reverse order; a CRD takes all its objects with it.
 */
export class Addon extends pulumi.ComponentResource implements Earlier {
  readonly after: readonly string[];
  readonly ready: readonly pulumi.Resource[];
  private readonly addon: Settings;
  private readonly named: AddonArgs["named"];
  private readonly inMembers = new Map<string, readonly pulumi.Resource[]>();

  constructor(name: string, args: AddonArgs, opts: pulumi.ComponentResourceOptions) {
    super(addonType, name, {}, opts);
    const { addon, named, destinations, pki, after, beyond } = args;
    this.addon = addon;
    this.named = named;
    this.after = addon.after;
    const policy = policyOf(addon);
    const put = destinations.flatMap((destination) => {
      const secrets = secretsOf(addon, destination.name, pki);
      const { prerequisites, others, interceptors } = stepsOf(addon.objects);
      const steps = [
        policy ? [policy] : [],
        prerequisites,
        secrets,
        others.map((object) => rolledWith(object, secrets)),
        interceptors,
      ].filter((step) => step.length > 0);
      const last = steps.reduce<readonly pulumi.Resource[]>(
        (before, step) => step.map((object) => this.put(object, destination, before)),
        [...destination.needs, ...after(destination)],
      );
      if (destination.name !== undefined) this.inMembers.set(destination.name, last);
      return last;
    });
    this.ready = policy && beyond && addon.wait ? [this.follow(name, policy, beyond, put)] : put;
    this.registerOutputs({});
  }

  readyIn(member: string): readonly pulumi.Resource[] | undefined {
    return this.inMembers.get(member);
  }

  /** Waits for what is propagated. */
  private follow(
    name: string,
    policy: ManifestObject,
    { karmadaKubeconfig, members, needs }: Beyond,
    put: readonly pulumi.Resource[],
  ): pulumi.Resource {
    const { addon } = this;
    const args = {
      title: `addon ${addon.name}`,
      policy: policy.metadata.name,
      objects: addon.objects.filter(isSpread).map(rolledOut),
      revision: sha256(JSON.stringify([addon.objects, addon.target])),
      members: [...members],
      karmadaKubeconfig,
      timeoutSeconds: seconds(addon.timeout),
    };
    return new Rollout(`${name}-rollout`, args, { parent: this, dependsOn: [...put, ...needs] });
  }

  /** CRDs and namespaces are needed by what follows. */
  private isWaitedFor(object: ManifestObject, runs: boolean): boolean {
    return isPrerequisite(object) || (this.addon.wait && (runs || !runsElsewhere(object)));
  }

  private put(
    object: ManifestObject,
    destination: Destination,
    dependsOn: readonly pulumi.Resource[],
  ): pulumi.Resource {
    const { provider, runs, owner } = destination;
    const { name, formerly } = this.named(object, destination);
    const { timeout } = this.addon;
    return new KubernetesObject(
      name,
      labelled(object, this.addon.name, this.isWaitedFor(object, runs)),
      {
        parent: this,
        provider,
        dependsOn: [...dependsOn],
        customTimeouts: { create: timeout, update: timeout, delete: timeout },
        // One of `policies` has another provider: it is made again, and is the same object.
        deleteBeforeReplace: true,
        ...(owner && { deletedWith: owner }),
        ...(isKept(object) && { retainOnDelete: true }),
      },
      formerly,
    );
  }
}

/** What identifies an object on its way to members. */
function rolledOut({ apiVersion, kind, metadata: { namespace, name, annotations } }: ManifestObject): RolledOut {
  const ready = annotations?.["pulumi.com/skipAwait"] !== "true";
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name, ready };
}

/** The objects by when they are put. */
interface Steps {
  /** CRDs and namespaces. */
  readonly prerequisites: readonly ManifestObject[];
  readonly others: readonly ManifestObject[];
  /** Webhooks and APIServices. */
  readonly interceptors: readonly ManifestObject[];
}

const stepsOf = (objects: readonly ManifestObject[]): Steps => ({
  prerequisites: objects.filter(isPrerequisite),
  others: objects.filter((object) => !isPrerequisite(object) && !isInterceptor(object)),
  interceptors: objects.filter(isInterceptor),
});

const isPrerequisite = (object: ManifestObject): boolean => isCrd(object) || isNamespace(object);

const isInterceptor = ({ kind }: ManifestObject): boolean => intercepting.has(kind);

const intercepting: ReadonlySet<string> = new Set([
  "APIService",
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
]);

/** Kinds whose readiness depends on controllers and nodes that the Karmada API does not have. */
const runsElsewhere = ({ apiVersion, kind }: ManifestObject): boolean => workloads.has(`${apiVersion}/${kind}`);

const workloads: ReadonlySet<string> = new Set([
  "apps/v1/DaemonSet",
  "apps/v1/Deployment",
  "apps/v1/StatefulSet",
  "batch/v1/Job",
  "networking.k8s.io/v1/Ingress",
  "v1/PersistentVolume",
  "v1/PersistentVolumeClaim",
  "v1/Pod",
  "v1/ReplicationController",
  "v1/ResourceQuota",
  "v1/Secret",
  "v1/Service",
]);

/** Whether a chart wants it to outlive its release. https://helm.sh/docs/howto/charts_tips_and_tricks/ */
const isKept = ({ metadata }: ManifestObject): boolean => metadata.annotations?.["helm.sh/resource-policy"] === "keep";

function labelled(object: ManifestObject, addon: string, wait: boolean): ManifestObject {
  const { labels, annotations, ...metadata } = object.metadata;
  const noted = { ...annotations, ...(!wait && { "pulumi.com/skipAwait": "true" }) };
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...labels, [addonLabel]: addon },
      ...(Object.keys(noted).length > 0 && { annotations: noted }),
    },
  };
}
