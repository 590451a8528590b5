import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { dataPath, preparedName } from "../../lib/etcd/kubernetes-member.ts";
import type { EtcdRuntimeAddress } from "../../lib/etcd/runtime.ts";
import type { ProgramPod } from "../../lib/kube/pod-file.ts";
import { objectName } from "../../lib/host-cluster/object-name.ts";
import { bundledProgram } from "../../lib/own-bundle.ts";
import type { LoadBalancerAddress } from "../../providers/load-balancer-address.ts";
import { OwnedNamespace } from "../../providers/owned-namespace.ts";
import { PodProgram } from "../../providers/pod-program.ts";
import type { Deployment, KubernetesPlacement as Settings } from "../../spec/deployment.ts";
import { seconds } from "../../spec/units.ts";
import { selectContext } from "../kubeconfig-context.ts";
import type { FileContents, PlacedProcess, Placement, PreparedProcess } from "../placement.ts";
import type { Process, Ref, Text, ToolchainProgram } from "../process.ts";
import { filled, urlsOf } from "../process.ts";
import { imageOf } from "./kubernetes-images.ts";
import { needsOf } from "./kubernetes-needs.ts";
import { KubernetesNames } from "./kubernetes-names.ts";
import { policiesOf } from "./kubernetes-network-policy.ts";
import {
  budgetOf,
  filesDigest,
  filesOf,
  labelsOf,
  loginOf,
  memberServices,
  metadataOf,
  selectorOf,
  serviceOf,
  sha256,
} from "./kubernetes-objects.ts";
import { type Outside, outsideOf } from "./kubernetes-outside.ts";
import { ownPodSpec, programName, toolsPath } from "./kubernetes-own-program.ts";
import { filesPath, podAddress, podSpec, standsAlone } from "./kubernetes-pod.ts";

type Secret = pulumi.Output<string>;

/** A deployment in a host cluster. */
export type InPods = Pick<Deployment<Secret>, "name" | "etcd" | "controlPlane"> & {
  readonly placement: Settings<Secret>;
};

/** Places every process in pods of a host cluster, in a namespace of its own. Waits for addresses that are still assigned. */
export async function kubernetesPlacement(deployment: InPods): Promise<Placement> {
  const placement = new KubernetesPlacement(deployment);
  await placement.findAddresses();
  return placement;
}

/**
 * A Deployment for each program, with as many pods as it is to have replicas; a Secret with its files, and a Service where
 * others come to it. Members of etcd are written down beside it, for their reconciler to start. The namespace takes all of it
 * with it.
 */
class KubernetesPlacement extends pulumi.ComponentResource implements Placement {
  readonly copies = true;
  readonly endpoint?: string;
  readonly hostCluster: NonNullable<Placement["hostCluster"]>;
  private readonly name: string;
  private readonly settings: Settings<Secret>;
  private readonly namespace: string;
  private names: KubernetesNames;
  private readonly kubeconfig: Secret;
  private readonly child: pulumi.CustomResourceOptions;
  /** What leads to what is exposed. */
  private readonly outer: Outside;

  constructor(deployment: InPods) {
    const { name, placement, etcd } = deployment;
    super("karmada:placement:Kubernetes", `${name}-kubernetes`, {});
    const { credentials, exposure, namespace } = placement;
    this.namespace = namespace;
    if (exposure.endpoint !== undefined) this.endpoint = exposure.endpoint;
    this.name = name;
    this.settings = placement;
    this.names = new KubernetesNames(placement);
    const { kubeconfig, context } = credentials;
    this.kubeconfig = context === undefined ? kubeconfig : kubeconfig.apply((text) => selectContext(text, context));
    const owned = new OwnedNamespace(
      `${name}-namespace`,
      {
        kubeconfig: this.kubeconfig,
        ...needsOf(deployment, this.names),
        // A cloud takes its time to take load balancers away again.
        timeoutSeconds: exposure.kind === "loadBalancer" ? 600 : 120,
      },
      { parent: this },
    );
    const provider = new k8s.Provider(
      `${name}-host-cluster`,
      {
        kubeconfig: this.kubeconfig,
        enableServerSideApply: true,
        enableConfigMapMutable: true,
        enableSecretMutable: true,
        // A run that was killed may have created what its state does not know.
        upsertExistingObjects: true,
      },
      { parent: this },
    );
    this.child = { provider, dependsOn: [owned], deletedWith: owned };
    this.hostCluster = { provider, needs: [owned] };
    const own = { ...this.child, parent: this };
    if (placement.images.login !== undefined) loginOf(this.home, placement.images.login, own);
    if (etcd.kind === "managed" && etcd.members.length > 1)
      budgetOf(this.home, { name: "etcd", component: "etcd" }, own);
    const reached = { exposure, kubeconfig: this.kubeconfig };
    this.outer = outsideOf(this.home, reached, etcd.kind === "managed" ? etcd.members : [], own);
    this.registerOutputs({});
  }

  /** Takes the addresses that load balancers have been assigned for those that nobody has declared. */
  async findAddresses(): Promise<void> {
    const { exposure } = this.settings;
    if (exposure.kind !== "loadBalancer") return;
    const { apiServer, etcd } = this.outer.loadBalancers;
    const [address, ofEtcd] = await Promise.all([
      exposure.address ?? assigned(apiServer),
      exposure.etcd.address ?? assigned(etcd),
    ]);
    const found = {
      ...exposure,
      ...(address !== undefined && { address }),
      etcd: { ...exposure.etcd, ...(ofEtcd !== undefined && { address: ofEtcd }) },
    };
    this.names = new KubernetesNames({ ...this.settings, exposure: found });
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

  nearest([process]: readonly string[]): string {
    if (process === undefined) throw new Error("nothing is to be reached");
    return this.host(process);
  }

  text(process: Process, text: Text): string {
    return filled(text, (ref) => this.resolve(process, ref));
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
      ...this.programOf(process, options),
    ];
    const replicas = process.copies ?? 1;
    const { rolloutTimeout } = this.settings;
    if (replicas > 1) budgetOf(home, process, options);
    const resource = new k8s.apps.v1.Deployment(
      `${this.name}-${process.name}`,
      {
        metadata: {
          ...metadataOf(home, process),
          // A difference, so that its pods are there again.
          ...(follows && { annotations: { "karmada-pulumi/follows": follows } }),
        },
        spec: {
          replicas,
          revisionHistoryLimit: 2,
          progressDeadlineSeconds: Math.ceil(seconds(rolloutTimeout)),
          strategy: this.exchangeOf(process),
          selector: { matchLabels: selectorOf(process) },
          template: {
            metadata: {
              labels: labelsOf(process),
              annotations: {
                "karmada-pulumi/files": filesDigest(process, files),
                ...("main" in process.program && {
                  "karmada-pulumi/program": bundledProgram(process.program.main).file.sha256,
                }),
              },
            },
            spec: this.specOf(process),
          },
        },
      },
      pulumi.mergeOptions(options, {
        dependsOn: needs,
        customTimeouts: { create: rolloutTimeout, update: rolloutTimeout },
      }),
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
    const template = { metadata: { labels: labelsOf(process) }, spec: this.specOf(process) };
    const text = JSON.stringify(template);
    const revision = filesDigest(process, files).apply((contents) => sha256(`${text} ${contents}`).slice(0, 32));
    const resource = new k8s.core.v1.ConfigMap(
      `${this.name}-${process.name}`,
      {
        metadata: metadataOf(home, process, preparedName(process.name)),
        data: {
          revision,
          member: JSON.stringify({ template, claim: this.claim, node: this.settings.images.node }),
        },
      },
      pulumi.mergeOptions(options, { dependsOn: needs }),
    );
    return { resource, version: versionOf(process), revision };
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

  /** Of the volume of a member. */
  private get claim() {
    const { size, storageClass } = this.settings.storage;
    return {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      ...(storageClass !== undefined && { storageClassName: storageClass }),
    };
  }

  private specOf(process: Process) {
    const { program, ports } = process;
    if ("installed" in program) throw new Error(`${process.name}: there is no image of it`);
    const texts = Object.entries(process.env ?? {}).map(([key, value]) => [key, this.text(process, value)] as const);
    const pod = {
      process,
      image: imageOf(program, this.settings.images),
      args: process.args.map((arg) => this.text(process, arg)),
      env: Object.fromEntries(texts),
      ports: Object.fromEntries(ports.map((port) => [port, this.port(process.name, port)])),
      settings: this.settings,
    };
    return "main" in program ? ownPodSpec(pod, this.settings.images) : podSpec({ ...pod, command: program.name });
  }

  /** What brings a program of ours. */
  private programOf(process: Process, opts: pulumi.CustomResourceOptions): pulumi.Resource[] {
    if (!("main" in process.program)) return [];
    const { provider: _, ...own } = opts;
    const { main } = process.program;
    const { kubeconfig, namespace } = this;
    const args = { kubeconfig, namespace, name: programName(process), main, sha256: bundledProgram(main).file.sha256 };
    return [new PodProgram(`${this.name}-${programName(process)}`, args, own)];
  }

  /** The new pod comes first, unless it could only have the node of an old one, or may not be there beside one. */
  private exchangeOf(process: Process) {
    if (process.alone === true) return { type: "Recreate" };
    const away = standsAlone(process, this.settings);
    const rollingUpdate = away ? { maxSurge: 0, maxUnavailable: 1 } : { maxSurge: 1, maxUnavailable: 0 };
    return { type: "RollingUpdate", rollingUpdate };
  }

  private resolve(process: Process, ref: Ref): string {
    switch (ref.ref) {
      case "file":
        return `${filesPath}/${ref.file}`;
      case "data":
        return dataPath + (ref.path === undefined ? "" : `/${ref.path}`);
      case "bind":
      // The kubelet asks a pod from outside it.
      case "loopback":
        return "0.0.0.0";
      case "host":
        return ref.process === undefined ? `$(${podAddress})` : this.host(ref.process);
      case "front":
        return `${this.host(ref.process)}:${this.port(ref.process, ref.port)}`;
      case "urls":
        return urlsOf(this, ref);
      case "port":
        return String(this.port(ref.process ?? process.name, ref.port));
    }
  }
}

/** Undefined when there is none, and in a preview that cannot know it yet. @throws pulumi.RunError when it was assigned none */
async function assigned(balancer: LoadBalancerAddress | undefined): Promise<string | undefined> {
  if (balancer === undefined) return undefined;
  const address = await new Promise<string | undefined>((resolve) => {
    balancer.address.apply(resolve);
    // What is registered and not known by then is not known in this run.
    balancer.urn.apply(() => setTimeout(() => resolve(undefined), 200));
  });
  if (address === undefined && !pulumi.runtime.isDryRun())
    throw new pulumi.RunError(
      "a load balancer has no address, and without it there is nothing to put into certificates",
    );
  return address;
}

function versionOf({ program }: Process): pulumi.Output<string> {
  if ("main" in program) return pulumi.output(bundledProgram(program.main).version);
  return pulumi.output("version" in program ? program.version : "");
}

/** With the files that only whoever places it knows of. */
function withGiven(process: Process, files: FileContents): Process {
  const given = Object.keys(files).filter((file) => !(file in process.files));
  const more = Object.fromEntries(given.map((file) => [file, { from: "given" } as const]));
  return { ...process, files: { ...process.files, ...more } };
}
