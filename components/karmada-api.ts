import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { KarmadaCrds } from "../providers/karmada-crds.ts";
import type { ComponentName } from "../spec/control-plane/component-names.ts";
import {
  type AggregatedBackend,
  type AggregatedComponent,
  aggregatedComponents,
  awaitAggregation,
  createAggregation,
} from "./karmada-api/aggregation.ts";
import { clusterProvider } from "./cluster-provider.ts";
import { createBootstrap } from "./karmada-api/bootstrap.ts";
import { grant, grantDelegatedAuth, grantLeases, identityOf, systemLabels } from "./karmada-api/grants.ts";
import { componentRules, leaderElecting, propagateRbacRule } from "./karmada-api/rules.ts";
import { createUserRoles } from "./karmada-api/user-roles.ts";
import { createWebhooks } from "./karmada-api/webhooks.ts";

/** Rights in the API that are granted on request. */
export interface Grants {
  /** Whether roles and bindings can be propagated to members. */
  readonly propagateRbac: boolean;
  /** Whether everything is granted that `karmadactl register` needs to register agents. */
  readonly karmadactlRegister: boolean;
}

/** The API as this program reaches it, and who works with it. */
export interface KarmadaApiArgs {
  /** Kubeconfig of the Karmada administrator; known only once the API server answers. */
  readonly kubeconfig: pulumi.Output<string>;
  /** Known from the first preview and constant: a change would replace the provider. */
  readonly identifier: string;
  /** URL of the API server, for agents. */
  readonly url: string;
  /** Signer of every serving certificate of the control plane, PEM. */
  readonly authority: pulumi.Output<string>;
  /** User name of the administrator. */
  readonly administrator: string;
  /** Version of Karmada. */
  readonly version: string;
  /** Components that run. */
  readonly components: readonly ComponentName[];
  readonly backends: readonly AggregatedBackend[];
  readonly webhookUrl: string;
  readonly grants: Grants;
  /** Takes every object with it when it is deleted. @default nothing: they are deleted one by one */
  readonly owner?: pulumi.Resource;
}

/**
 * What the Karmada API holds before anyone uses it: namespaces, rights of the components and of people, Karmada's
 * kinds, the aggregated APIs, the webhooks, and what lets agents join. Components depend on the parts they need.
 */
export class KarmadaApi extends pulumi.ComponentResource {
  /** For further objects in the Karmada API. */
  readonly provider: k8s.Provider;
  readonly crds: pulumi.Resource;
  readonly webhooks: readonly pulumi.Resource[];
  /** What aggregated servers need to know their callers. */
  readonly delegatedAuth: readonly pulumi.Resource[];
  readonly leases: readonly pulumi.Resource[];
  private readonly componentRights = new Map<ComponentName, readonly pulumi.Resource[]>();
  private readonly name: string;
  private readonly kubeconfig: pulumi.Output<string>;
  private readonly authority: pulumi.Output<string>;
  private readonly backends: readonly AggregatedBackend[];
  private readonly inSystem: pulumi.CustomResourceOptions;

  constructor(name: string, args: KarmadaApiArgs, opts: pulumi.ComponentResourceOptions) {
    super("karmada:api:KarmadaApi", name, {}, opts);
    const { kubeconfig, authority } = args;
    const deletedWith = args.owner === undefined ? {} : { deletedWith: args.owner };
    this.provider = clusterProvider(
      `${name}-provider`,
      {
        kubeconfig,
        clusterIdentifier: args.identifier,
        enableConfigMapMutable: true,
        // A Karmada that is taken over has objects of other managers under these names.
        enablePatchForce: true,
        // Seconds for each answer: a server that has just started needs long for its schema on a busy machine, and when it
        // is not there within client-go's 32 s, the plugin takes the whole server for unreachable.
        kubeClientSettings: { timeout: 120 },
      },
      { parent: this },
    );
    const child = { parent: this, provider: this.provider, ...deletedWith };
    this.crds = new KarmadaCrds(
      `${name}-crds`,
      {
        kubeconfig,
        version: args.version,
        webhookUrl: `${args.webhookUrl}/convert`,
        caBundle: authority,
        timeoutSeconds: 120,
      },
      { parent: this, ...deletedWith },
    );
    const [system] = ["karmada-system", "karmada-cluster"].map(
      (namespace) =>
        new k8s.core.v1.Namespace(
          `${name}-${namespace}`,
          { metadata: { name: namespace, labels: systemLabels } },
          child,
        ),
    );
    const inSystem = { ...child, dependsOn: system === undefined ? [] : [system] };
    this.name = name;
    this.kubeconfig = kubeconfig;
    this.authority = authority;
    this.backends = args.backends;
    this.inSystem = inSystem;

    this.delegatedAuth = grantDelegatedAuth(name, args.components.filter(isAggregated), child);
    this.leases = grantLeases(name, args.components.filter(electsLeader), inSystem);
    for (const component of args.components) this.grantRights(name, component, args.grants, child);
    this.webhooks = createWebhooks(name, { url: args.webhookUrl, authority }, child);
    createUserRoles(name, args.administrator, child);
    createBootstrap(name, { url: args.url, authority, ...args.grants }, child);
    this.registerOutputs({});
  }

  /** The rights of a component. */
  rights(component: ComponentName): readonly pulumi.Resource[] {
    return this.componentRights.get(component) ?? [];
  }

  /**
   * Registers the aggregated APIs of a component, if it runs.
   *
   * @param after what has to exist first
   */
  aggregate(component: AggregatedComponent, after: readonly pulumi.Resource[] = []): readonly pulumi.Resource[] {
    const backend = this.backend(component);
    return backend === undefined ? [] : createAggregation(this.name, backend, this.authority, after, this.inSystem);
  }

  /**
   * Waits until calls to the APIs of a component are passed on to it, if it runs.
   *
   * @param after its programs, and what {@link aggregate} made
   */
  awaitServed(component: AggregatedComponent, after: readonly pulumi.Resource[]): void {
    const backend = this.backend(component);
    if (backend !== undefined) awaitAggregation(this.name, backend, this.kubeconfig, after, { parent: this });
  }

  private backend(component: AggregatedComponent): AggregatedBackend | undefined {
    return this.backends.find((each) => each.component === component);
  }

  private grantRights(
    name: string,
    component: ComponentName,
    { propagateRbac }: Grants,
    opts: pulumi.CustomResourceOptions,
  ) {
    const rules = componentRules[component];
    if (rules === undefined) return;
    const all = component === "karmada-controller-manager" && propagateRbac ? [...rules, propagateRbacRule] : rules;
    const subject = identityOf(component);
    const granted = { role: subject.name, rules: all, subjects: [subject] };
    this.componentRights.set(component, grant(`${name}-${component}`, granted, opts));
  }
}

const isAggregated = (component: ComponentName): boolean =>
  (aggregatedComponents as readonly ComponentName[]).includes(component);

const electsLeader = (component: ComponentName): boolean => leaderElecting.includes(component);
