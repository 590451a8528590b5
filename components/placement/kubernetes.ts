import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import type { EtcdRuntimeAddress } from "../../lib/etcd/runtime/runtime.ts";
import { objectName } from "../../lib/host-cluster/object-name.ts";
import { oneContext } from "../../lib/kube/one-context.ts";
import type { ProgramPod } from "../../lib/kube/pod-file.ts";
import { bundledProgram } from "../../lib/own-bundle.ts";
import { OwnedNamespace } from "../../providers/owned-namespace.ts";
import type { KubernetesPlacement as Settings } from "../../spec/deployment.ts";
import { type Override, overridesIn } from "../../spec/etcd/overrides.ts";
import { podSettingsOf } from "../../spec/placement/pod-settings.ts";
import { address } from "../placed.ts";
import type { FileContents, Nearest, PlacedProcess, Placement, PreparedProcess } from "../placement.ts";
import { filled, type Process, type Text, type ToolchainProgram } from "../process.ts";
import { memberUrl } from "../processes/etcd.ts";
import { environmentOf } from "./environment.ts";
import { hooksHere, type HookVersions } from "./hooks.ts";
import { withAssigned } from "./kubernetes-assigned.ts";
import { deploymentOf } from "./kubernetes-deployment.ts";
import { etcdsOf } from "./kubernetes-etcds.ts";
import { imageOf } from "./kubernetes-images.ts";
import { KubernetesNames } from "./kubernetes-names.ts";
import { needsOf } from "./kubernetes-needs.ts";
import { policiesOf } from "./kubernetes-network-policy.ts";
import { budgetOf, claimsOf, filesDigest, filesOf, loginOf, memberServices, serviceOf } from "./kubernetes-objects.ts";
import { type Outside, outsideOf } from "./kubernetes-outside.ts";
import { ownPodSpec, programOf, toolsPath } from "./kubernetes-own-program.ts";
import type { AnyInPods } from "./kubernetes-pod-needs.ts";
import { podSpec } from "./kubernetes-pod.ts";
import { preparedMember } from "./kubernetes-prepared-member.ts";
import { hostClusterProvider } from "./kubernetes-provider.ts";
import { argumentsOf, resolved } from "./kubernetes-refs.ts";

type Secret = pulumi.Output<string>;

/** A deployment in a host cluster. */
export type InPods = AnyInPods<Secret> & { readonly versions: HookVersions };

/** Places every process in pods of a host cluster, in a namespace of its own. Waits for addresses that are still assigned. */
export async function kubernetesPlacement(deployment: InPods): Promise<Placement> {
  const placement = new KubernetesPlacement(deployment);
  await placement.findAddresses();
  return placement;
}

/**
 * A Deployment for each program, with a pod for each replica; a Secret with its files, and a Service if others use it.
 * Members of etcd are only prepared, for their reconciler to start. Deleting the namespace deletes all of it.
 */
class KubernetesPlacement extends pulumi.ComponentResource implements Placement {
  readonly copies = true;
  readonly endpoint?: string;
  readonly hostCluster: NonNullable<Placement["hostCluster"]>;
  readonly monitoredPods: NonNullable<Placement["monitoredPods"]>;
  readonly owner: pulumi.Resource;
  readonly hooks: NonNullable<Placement["hooks"]>;
  private readonly name: string;
  private readonly settings: Settings<Secret>;
  private readonly namespace: string;
  private readonly overrides: readonly Override[];
  private names: KubernetesNames;
  private readonly kubeconfig: Secret;
  private readonly child: pulumi.CustomResourceOptions;
  /** The ways from outside to what is exposed. */
  private readonly outer: Outside;

  constructor(deployment: InPods) {
    const { name, placement, etcd } = deployment;
    super("karmada:placement:Kubernetes", `${name}-kubernetes`, {});
    const { credentials, exposure, namespace } = placement;
    this.namespace = namespace;
    this.monitoredPods = { namespace, from: placement.networkPolicies.metricsFrom };
    if (exposure.endpoint !== undefined) this.endpoint = exposure.endpoint;
    this.name = name;
    this.settings = placement;
    this.overrides = overridesIn(deployment.etcd);
    this.names = new KubernetesNames(placement, this.overrides);
    const { kubeconfig, context } = credentials;
    this.kubeconfig = kubeconfig.apply((text) => oneContext(text, context));
    const { hex: instance } = new random.RandomId(`${name}-instance`, { byteLength: 8 }, { parent: this });
    const clusterIdentifier = `${name}-host-cluster`;
    const owned = new OwnedNamespace(
      `${name}-namespace`,
      {
        kubeconfig: this.kubeconfig,
        clusterIdentifier,
        instance,
        ...needsOf(deployment, this.names),
        // A cloud takes its time to remove load balancers.
        timeoutSeconds: exposure.kind === "loadBalancer" ? 600 : 120,
      },
      { parent: this },
    );
    const provider = hostClusterProvider(clusterIdentifier, this.kubeconfig, { parent: this });
    this.child = { provider, dependsOn: [owned], deletedWith: owned };
    this.hostCluster = { provider, needs: [owned] };
    this.owner = owned;
    this.hooks = hooksHere(deployment, { KARMADA_NAMESPACE: namespace }, owned);
    const own = { ...this.child, parent: this };
    if (placement.images.login !== undefined) loginOf(this.home, placement.images.login, own);
    for (const { members, ...etcd } of etcdsOf(deployment)) if (members > 1) budgetOf(this.home, etcd, own);
    const reached = { exposure, kubeconfig: this.kubeconfig };
    const servers = {
      apiServer: deployment.controlPlane !== undefined,
      etcd: etcd.kind === "managed" ? etcd.members : [],
    };
    this.outer = outsideOf(this.home, reached, servers, own);
    this.registerOutputs({});
  }

  /** Fills in the addresses assigned to load balancers for undeclared ones. */
  async findAddresses(): Promise<void> {
    const { exposure } = this.settings;
    if (exposure.kind !== "loadBalancer") return;
    const found = await withAssigned(exposure, this.outer.loadBalancers);
    this.names = new KubernetesNames({ ...this.settings, exposure: found }, this.overrides);
  }

  get outside() {
    return this.names.outside;
  }

  host(process: string): string {
    return this.names.host(process);
  }

  port(process: string, port: string): number {
    return this.names.port(process, port);
  }

  nearest([process = ""]: readonly string[], port: string): Nearest {
    return { host: this.host(process), port: this.port(process, port) };
  }

  text(process: Process, text: Text): string {
    return filled(text, (ref) => resolved(this.names, process, ref));
  }

  executable({ name }: ToolchainProgram, { program }: Process): pulumi.Output<string> {
    return pulumi.output("main" in program ? `${toolsPath}/${name}` : name);
  }

  podOf({ name, component }: Process): pulumi.Output<ProgramPod> {
    const { kubeconfig, namespace } = this;
    return pulumi.output({ kubeconfig, namespace, instance: objectName(name), container: component });
  }

  place(
    declared: Process,
    files: FileContents,
    opts: pulumi.CustomResourceOptions,
    follows?: pulumi.Output<string>,
  ): PlacedProcess {
    const process = withGiven(declared, files);
    const options = pulumi.mergeOptions(opts, this.child);
    const home = this.home;
    const needs = [
      filesOf(home, process, files, options),
      ...serviceOf(home, process, options),
      ...policiesOf(home, process, this.settings.networkPolicies, options),
      ...(this.names.addresses(process.name).length > 0 ? this.outer.resources : []),
      ...programOf(home, this.kubeconfig, process, options),
      ...claimsOf(home, process, options),
    ];
    if ((process.copies ?? 1) > 1) budgetOf(home, process, options);
    const settings = podSettingsOf(this.settings, process.component);
    const resource = deploymentOf(
      home,
      process,
      { files: filesDigest(process, files), spec: this.specOf(process, settings), settings, follows },
      pulumi.mergeOptions(options, { dependsOn: needs }),
    );
    return { resource, version: versionOf(process) };
  }

  prepare(process: Process, files: FileContents, opts: pulumi.CustomResourceOptions): PreparedProcess {
    const options = pulumi.mergeOptions(opts, this.child);
    const home = this.home;
    const needs = [
      filesOf(home, process, files, options),
      ...memberServices(home, process, options),
      ...policiesOf(home, process, this.settings.networkPolicies, options),
      ...this.outer.resources,
    ];
    const settings = podSettingsOf(this.settings, process.component);
    const written = preparedMember(
      home,
      process,
      {
        spec: this.specOf(process, settings),
        files: filesDigest(process, files),
        settings,
        clientUrl: address(this, memberUrl(process.name, "client")),
      },
      pulumi.mergeOptions(options, { dependsOn: needs }),
    );
    return { ...written, version: versionOf(process) };
  }

  etcdRuntime(): pulumi.Output<EtcdRuntimeAddress> {
    return pulumi.output({ kind: "kubernetes", kubeconfig: this.kubeconfig, namespace: this.settings.namespace });
  }

  outerNames(process: string): readonly string[] {
    return this.names.addresses(process);
  }

  private get home() {
    return { name: this.name, namespace: this.namespace, names: this.names };
  }

  private specOf(process: Process, settings: Settings<Secret>) {
    const { program, ports } = process;
    if ("installed" in program) throw new Error(`${process.name}: there is no image of it`);
    const pod = {
      process,
      image: imageOf(program, settings.images),
      args: argumentsOf(this.names, process),
      env: environmentOf(this, process),
      ports: Object.fromEntries(ports.map((port) => [port, this.port(process.name, port)])),
      clientPort: this.names.ledTo(process.name)?.port,
      settings,
    };
    return "main" in program ? ownPodSpec(pod, settings.images) : podSpec({ ...pod, command: program.name });
  }
}

function versionOf({ program }: Process): pulumi.Output<string> {
  if ("main" in program) return pulumi.output(bundledProgram(program.main).version);
  return pulumi.output("version" in program ? program.version : "");
}

/** With the files that only the caller knows. */
function withGiven(process: Process, files: FileContents): Process {
  const given = Object.keys(files).filter((file) => !(file in process.files));
  const more = Object.fromEntries(given.map((file) => [file, { from: "given" } as const]));
  return { ...process, files: { ...process.files, ...more } };
}
