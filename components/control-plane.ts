import * as pulumi from "@pulumi/pulumi";
import { ApiGate } from "../providers/api-gate.ts";
import { ApiReady } from "../providers/api-ready.ts";
import type { PlacementKind } from "../providers/other-placement.ts";
import { PlaneVersions } from "../providers/plane-versions.ts";
import { type ComponentName, componentNames } from "../spec/control-plane/component-names.ts";
import { administrator } from "./administrator.ts";
import type { DataVersions } from "./data-versions.ts";
import type { Encryption } from "./encryption.ts";
import type { Etcd } from "./etcd.ts";
import { type Grants, KarmadaApi } from "./karmada-api.ts";
import { type AggregatedBackend, type AggregatedComponent, aggregatedComponents } from "./karmada-api/aggregation.ts";
import { address, type Ground, inTurn, placeReplicas, type ReplicasArgs, resources } from "./placed.ts";
import type { FileContents, Nearest } from "./placement.ts";
import type { Process } from "./process.ts";
import { type ControlPlaneProcesses, karmadaApi } from "./processes/control-plane.ts";
import { serversOnHosts } from "./servers-on-hosts.ts";

/** What the control plane is made of, and what it builds on. */
export interface ControlPlaneArgs {
  readonly ground: Ground;
  readonly processes: ControlPlaneProcesses;
  /** Contents of the files that the operator gives them, by component. */
  readonly given: Readonly<Partial<Record<ComponentName, FileContents>>>;
  /** How its API servers store secrets. @default in clear */
  readonly encryption: Encryption | undefined;
  /** The haproxies in front of its API servers. */
  readonly balancers: readonly Process[];
  readonly etcd: Etcd;
  /** What comes before anything of it starts or changes. */
  readonly first: readonly pulumi.Resource[];
  /** Name of the deployment. */
  readonly deployment: string;
  /** Versions of what writes its data. */
  readonly versions: DataVersions;
  /** Where it runs. */
  readonly placement: PlacementKind;
  readonly allowDowngrade: boolean;
  readonly multiClusterServices: boolean;
  readonly grants: Grants;
}

/**
 * The control plane in the order in which it starts. Each line waits for what the program cannot start without, and for
 * nothing else unless it says so; replicas of one program wait for each other. It works once `gate` has passed.
 */
export class ControlPlane extends pulumi.ComponentResource {
  /** For instance `https://127.0.0.1:5443`; one for each API server. */
  readonly endpoints: readonly string[];
  /** Where this program reaches the API: our own load balancer in front of the API servers, else the first of them. */
  readonly url: string;
  /** Kubeconfig of the Karmada administrator, once the Karmada API works. Secret. */
  readonly kubeconfig: pulumi.Output<string>;
  readonly api: KarmadaApi;
  /** What to depend on to use the Karmada API. */
  readonly gate: pulumi.Resource;
  /** What to depend on to see members become Ready. */
  readonly controllers: readonly pulumi.Resource[];
  /** What asks the members' estimators. */
  readonly estimatorAskers: readonly pulumi.Resource[];
  /** Version of each process, as the program reports it. */
  readonly versions: Readonly<Record<string, pulumi.Output<string>>>;

  constructor(name: string, args: ControlPlaneArgs, opts: pulumi.ComponentResourceOptions) {
    super("karmada:controlplane:ControlPlane", name, {}, opts);
    const { ground, processes, etcd } = args;
    const versions: Record<string, pulumi.Output<string>> = {};
    const place = (component: ComponentName, how: Pick<ReplicasArgs, "dependsOn" | "servers">) => {
      const placed = placeReplicas(ground, processes[component], this, { ...how, given: args.given[component] });
      placed.forEach(({ version }, i) => (versions[processes[component][i]?.name ?? component] = version));
      return resources(placed);
    };
    const apiserver = place("kube-apiserver", { dependsOn: [etcd.ready, ...args.first] });

    // Before any has served, the load balancer does not wait for them, and one that serves is enough to continue.
    const turn = apiserver.map((each) => inTurn(ground.placement, each));
    const front = ground.placement.placeFront?.(`${name}-front`, args.balancers, ground.pki, {
      parent: this,
      dependsOn: [...args.first, ...turn],
    });
    const url = front?.url ?? address(ground.placement, karmadaApi().url);
    const adminKubeconfig = ground.pki.kubeconfig(administrator.name, "karmada", url);
    const ready = new ApiReady(
      `${name}-api-ready`,
      { kubeconfig: adminKubeconfig, timeoutSeconds: 120 },
      { parent: this, dependsOn: [...apiserver.slice(0, 1), ...turn, ...(front?.ready ?? [])] },
    );
    const api = this.createApi(name, args, ready.kubeconfig, url);
    const run = (component: ComponentName, ...needs: readonly (readonly pulumi.Resource[])[]) =>
      place(component, { dependsOn: [...needs.flat(), ...api.rights(component)], servers: apiserver });
    const webhook = run("karmada-webhook", [ready]);
    const aggregated = run("karmada-aggregated-apiserver", [ready], api.delegatedAuth);
    // The API server retries one that does not answer yet at growing intervals, seconds in the end.
    const clusterApi = [...aggregated, ...api.aggregate("karmada-aggregated-apiserver", aggregated)];
    // It needs only the API server, but nothing needs it sooner, so what everything else waits for gets the processors
    // first. When the control plane is deleted, programs end in reverse order. This one has to work until members are
    // gone, whose namespaces it deletes: so it must not wait for the controllers. It also has to collect the garbage of
    // objects that are deleted one by one: so without an owner that takes them all, it waits for the API server alone.
    run("kube-controller-manager", etcd.owner === undefined ? [ready] : clusterApi);
    const searchApi = api.aggregate("karmada-search");
    const search = run("karmada-search", clusterApi, api.delegatedAuth, searchApi);
    api.awaitServed("karmada-search", [...search, ...searchApi]);
    const adapter = run("karmada-metrics-adapter", clusterApi, api.delegatedAuth);
    const adapterApis = api.aggregate("karmada-metrics-adapter", adapter);
    api.awaitServed("karmada-metrics-adapter", adapterApis);
    const kinds = [api.crds, ...clusterApi, ...api.leases];
    const controllerManager = run("karmada-controller-manager", kinds);
    const scheduler = run("karmada-scheduler", kinds);
    const descheduler = run("karmada-descheduler", kinds);
    const gate = new ApiGate(
      `${name}-gate`,
      { kubeconfig: ready.kubeconfig, timeoutSeconds: 120 },
      { parent: this, dependsOn: [api.crds, ...clusterApi, ...webhook, ...api.webhooks] },
    );
    const [firstApiserver] = processes["kube-apiserver"];
    const pods = firstApiserver && ground.placement.podOf?.(firstApiserver);
    const data = args.encryption?.keep(
      { kubeconfig: gate.kubeconfig, restored: ground.restored, pods },
      { parent: this, dependsOn: [gate, ...apiserver] },
    );
    this.endpoints = processes["kube-apiserver"].map((process) =>
      address(ground.placement, karmadaApi(process.name).url),
    );
    this.noteVersions(name, args, adminKubeconfig, data);

    this.url = url;
    this.api = api;
    this.gate = gate;
    this.kubeconfig = gate.kubeconfig;
    this.controllers = controllerManager;
    this.estimatorAskers = [...scheduler, ...descheduler];
    this.versions = versions;
    this.registerOutputs({});
  }

  /** Once everything is in clear that is noted: from then on API servers may do without keys. */
  private noteVersions(
    name: string,
    {
      ground,
      processes,
      versions,
      placement,
      allowDowngrade,
      multiClusterServices,
      encryption,
      etcd,
    }: ControlPlaneArgs,
    karmadaKubeconfig: pulumi.Output<string>,
    data: pulumi.Resource | undefined,
  ): void {
    new PlaneVersions(
      `${name}-versions`,
      {
        karmada: versions.karmada,
        kubernetes: versions.kubernetes,
        etcd: etcd.kind,
        placement,
        multiClusterServices,
        allowDowngrade,
        ...(encryption && {
          encryption: encryption.provider,
          encrypting: encryption.encrypting,
          encrypted: encryption.encrypted,
          told: encryption.told,
        }),
        servers: serversOnHosts(ground.placement, processes["kube-apiserver"], this.endpoints),
        karmadaKubeconfig,
      },
      {
        parent: this,
        dependsOn: data !== undefined && encryption?.provider === "identity" ? [data] : [],
        ...(etcd.owner && { deletedWith: etcd.owner }),
      },
    );
  }

  private createApi(name: string, args: ControlPlaneArgs, kubeconfig: pulumi.Output<string>, url: string): KarmadaApi {
    const { processes, etcd, ground } = args;
    return new KarmadaApi(
      `${name}-api`,
      {
        kubeconfig,
        identifier: args.deployment,
        url,
        authority: ground.pki.trust("karmada"),
        administrator: administrator.commonName,
        version: args.versions.karmada,
        components: componentNames.filter((component) => processes[component].length > 0),
        backends: aggregatedComponents.flatMap((component) => backend(args, component)),
        webhookUrl: serverUrl(args, "karmada-webhook"),
        grants: args.grants,
        ...(etcd.owner === undefined ? {} : { owner: etcd.owner }),
      },
      { parent: this },
    );
  }
}

/** The aggregator dials one name and one port, whatever the number of replicas. */
function backend(args: ControlPlaneArgs, component: AggregatedComponent): AggregatedBackend[] {
  if (args.processes[component].length === 0) return [];
  const { host, port } = reached(args, component);
  return [{ component, host, port }];
}

function serverUrl(args: ControlPlaneArgs, component: ComponentName): string {
  const { host, port } = reached(args, component);
  return `https://${host}:${port}`;
}

/** Where API servers reach a component. */
function reached({ processes, ground }: ControlPlaneArgs, component: ComponentName): Nearest {
  const names = (of: ComponentName) => processes[of].map(({ name }) => name);
  return ground.placement.nearest(names(component), "secure", names("kube-apiserver"));
}
