import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { base64 } from "../../lib/base64.ts";
import { labels as memberLabels } from "../../lib/etcd/kubernetes-member.ts";
import { objectName } from "../../lib/host-cluster/object-name.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { FileContents } from "../placement.ts";
import type { Process } from "../process.ts";
import { heldBy } from "./kubernetes-held-volumes.ts";
import { type KubernetesNames, outsideName, servedPorts } from "./kubernetes-names.ts";
import { keyOf, kindLabels, registryLogin } from "./kubernetes-pod.ts";

/** Where the objects of a process belong. */
export interface Home {
  /** Name of the deployment. */
  readonly name: string;
  readonly namespace: string;
  readonly names: KubernetesNames;
}

type Named = Pick<Process, "name" | "component" | "group">;

/** Labels of the objects of a process. */
export const labelsOf = ({ name, ...kind }: Named) => ({
  ...kindLabels(kind),
  "app.kubernetes.io/instance": objectName(name),
  "app.kubernetes.io/managed-by": "karmada-pulumi",
});

/** Selects its pods. */
export const selectorOf = ({ name }: Pick<Process, "name">) => ({
  "app.kubernetes.io/instance": objectName(name),
});

/** Metadata of an object of a process. @param name of the object @default that of the process */
export const metadataOf = (
  { namespace }: Pick<Home, "namespace">,
  process: Named,
  name = objectName(process.name),
) => ({
  name,
  namespace,
  labels: labelsOf(process),
});

/** For Services and the like whose pods come later: there is nothing to wait for. */
export const unawaited = <T>(metadata: T, annotations: Readonly<Record<string, string>> = {}) => ({
  ...metadata,
  annotations: { ...annotations, "pulumi.com/skipAwait": "true" },
});

/** The Secret that is mounted as the files of a process. */
export function filesOf(home: Home, process: Process, files: FileContents, opts: pulumi.CustomResourceOptions) {
  const data = Object.fromEntries(
    Object.keys(process.files).map((file) => [
      keyOf(file),
      pulumi.output(contentOf(process, files, file)).apply(base64),
    ]),
  );
  return new k8s.core.v1.Secret(
    `${home.name}-${process.name}-files`,
    { metadata: metadataOf(home, process), data },
    opts,
  );
}

/** The nodes' login to the image registries. */
export function loginOf({ name, namespace }: Home, login: pulumi.Output<string>, opts: pulumi.CustomResourceOptions) {
  return new k8s.core.v1.Secret(
    `${name}-${registryLogin}`,
    {
      metadata: { name: registryLogin, namespace },
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": login.apply(base64) },
    },
    opts,
  );
}

/** A Service for the ports others use inside the host cluster, and a node port for what is exposed. */
export function serviceOf(home: Home, process: Process, opts: pulumi.CustomResourceOptions): k8s.core.v1.Service[] {
  const served = servedPorts(process);
  if (served.length === 0) return [];
  const ports = portsOf(home, process, served);
  const type = ports.some((port) => "nodePort" in port) ? "NodePort" : "ClusterIP";
  return [service(home, process, objectName(process.name), { type, selector: selectorOf(process), ports }, opts)];
}

/**
 * A member's name resolves to its pod, since its peers check who connects under that name; and it does so from the
 * start, since no member is ready before a majority has found each other. If exposed by node ports, this program uses
 * one.
 */
export function memberServices(
  home: Home,
  process: Process,
  opts: pulumi.CustomResourceOptions,
): k8s.core.v1.Service[] {
  const common = { selector: { [memberLabels.member]: process.name }, publishNotReadyAddresses: true };
  const inside = portsOf(home, process, servedPorts(process)).map(({ name, port }) => ({ name, port }));
  const headless = service(home, process, process.name, { ...common, clusterIP: "None", ports: inside }, opts);
  if (home.names.nodePort(process.name, "client") === undefined) return [headless];
  const outside = portsOf(home, process, ["client"]);
  return [
    headless,
    service(home, process, outsideName(process.name), { ...common, type: "NodePort", ports: outside }, opts),
  ];
}

/**
 * A claim for each volume of the host cluster that a process writes to. It stays until the namespace is deleted, also
 * when nothing writes there any more: the volume can be claimed again only once somebody has released it. Pods wait for
 * it, and an `up` waits for them.
 */
export const claimsOf = (home: Home, process: Process, opts: pulumi.CustomResourceOptions): pulumi.Resource[] =>
  heldBy(process).map(
    ({ claim, persistentVolume, storageClass = "" }) =>
      new k8s.core.v1.PersistentVolumeClaim(
        `${home.name}-${claim}`,
        {
          metadata: unawaited(metadataOf(home, process, claim)),
          spec: {
            accessModes: ["ReadWriteMany"],
            volumeName: persistentVolume,
            storageClassName: storageClass,
            // It gets all of the volume, whatever its size.
            resources: { requests: { storage: "1Mi" } },
          },
        },
        pulumi.mergeOptions(opts, { retainOnDelete: true }),
      ),
  );

/** Limits voluntary evictions to one pod at a time. */
export function budgetOf(home: Home, process: Named, opts: pulumi.CustomResourceOptions) {
  return new k8s.policy.v1.PodDisruptionBudget(
    `${home.name}-${process.name}`,
    {
      metadata: metadataOf(home, process),
      spec: { maxUnavailable: 1, selector: { matchLabels: kindLabels(process) } },
    },
    opts,
  );
}

/** Changes with every file that the program does not reread by itself; not secret, since it reveals nothing. */
export function filesDigest(process: Process, files: FileContents): pulumi.Output<string> {
  const { rereads = [] } = process;
  const counted = Object.keys(process.files).filter((file) => !rereads.includes(file));
  const contents = pulumi.all(counted.map((file) => contentOf(process, files, file)));
  return pulumi.unsecret(contents.apply((texts) => sha256(JSON.stringify([counted, texts]))));
}

function contentOf({ name }: Process, files: FileContents, file: string): pulumi.Input<string> {
  const content = files[file];
  if (content === undefined) throw new Error(`${name}: nobody gave the content of ${file}`);
  return content;
}

function portsOf({ names }: Home, { name: process }: Process, ports: readonly string[]) {
  return ports.map((name) => {
    const nodePort = names.nodePort(process, name);
    const port = names.port(process, name);
    return { name, port, targetPort: port, ...(nodePort !== undefined && { nodePort }) };
  });
}

function service(
  home: Home,
  process: Process,
  name: string,
  spec: k8s.types.input.core.v1.ServiceSpec,
  opts: pulumi.CustomResourceOptions,
) {
  const metadata = unawaited(metadataOf(home, process, name));
  return new k8s.core.v1.Service(`${home.name}-${name}`, { metadata, spec }, opts);
}
