import type { types } from "@pulumi/kubernetes";
import { dataPath, dataVolume } from "../../lib/etcd/kubernetes-member.ts";
import { objectName } from "../../lib/host-cluster/object-name.ts";
import { podUser } from "../../lib/host-cluster/pod-user.ts";
import type { KubernetesPlacement } from "../../spec/deployment.ts";
import { seconds } from "../../spec/values/units.ts";
import type { Process } from "../process.ts";
import { heldVolumes } from "./kubernetes-held-volumes.ts";
import { servedPorts } from "./kubernetes-names.ts";
import { limitVariables } from "./limits.ts";

type PodSpec = types.input.core.v1.PodSpec;
type Container = types.input.core.v1.Container;

/** A process with everything in it resolved. */
export interface ResolvedPod {
  readonly process: Process;
  readonly image: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Numbers by name. */
  readonly ports: Readonly<Record<string, number>>;
  /** Name of its port for clients, so that one Service can lead to every member of etcd. @default like the port */
  readonly clientPort?: string | undefined;
  /** Its account in the cluster it runs in. @default none: it gets no token */
  readonly serviceAccount?: string;
  readonly settings: Pick<
    KubernetesPlacement<unknown>,
    "nodeSelector" | "tolerations" | "antiAffinity" | "spreadOver" | "priorityClass"
  > & { readonly images: { readonly pullPolicy: string; readonly login?: unknown } };
}

/** Where a process finds its files. */
export const filesPath = "/etc/karmada";

/** The key of a file in its Secret. */
export const keyOf = (file: string): string => file.replaceAll("/", ".");

/** Name of the Secret with the logins for registries. */
export const registryLogin = "registry-login";

/**
 * An unprivileged pod: no root, no writable image, no capability, no token of the cluster it is in. It is kept away
 * from nodes that already have one of its kind, if there are others.
 */
export function podSpec(pod: ResolvedPod): PodSpec {
  const { process, settings, serviceAccount } = pod;
  const { nodeSelector, tolerations, priorityClass, images } = settings;
  const { volumes, security } = heldVolumes(process);
  return {
    automountServiceAccountToken: serviceAccount !== undefined,
    ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }),
    enableServiceLinks: false,
    terminationGracePeriodSeconds: lingers(process) + seconds(process.stopDeadline),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: podUser,
      runAsGroup: podUser,
      fsGroup: podUser,
      seccompProfile: { type: "RuntimeDefault" },
      ...security,
    },
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector: { ...nodeSelector } }),
    ...(tolerations.length > 0 && { tolerations: tolerations.map((each) => ({ ...each })) }),
    ...(priorityClass !== undefined && { priorityClassName: priorityClass }),
    ...(images.login !== undefined && { imagePullSecrets: [{ name: registryLogin }] }),
    affinity: apart(process, settings),
    ...spread(process, settings),
    containers: [container(pod)],
    volumes: [
      {
        name: "files",
        secret: {
          secretName: objectName(process.name),
          defaultMode: 0o440,
          items: Object.keys(process.files).map((file) => ({ key: keyOf(file), path: file })),
        },
      },
      { name: "tmp", emptyDir: {} },
      ...volumes,
    ],
  };
}

function container({ process, image, command, args, env, ports, clientPort, settings }: ResolvedPod): Container {
  const { limits, requests } = process;
  const variables = { ...limitVariables(limits), ...env };
  return {
    name: process.component,
    image,
    imagePullPolicy: settings.images.pullPolicy,
    command: [command],
    args: [...args],
    env: [
      { name: podAddress, valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      ...Object.entries(variables).map(([name, value]) => ({ name, value })),
    ],
    ports: Object.entries(ports).map(([name, containerPort]) => ({
      name: name === "client" ? (clientPort ?? name) : name,
      containerPort,
    })),
    ...((limits ?? requests) && {
      resources: { ...(limits && { limits: { ...limits } }), ...(requests && { requests: { ...requests } }) },
    }),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      // The program in this image has the file capability, and could not be started without it.
      capabilities: { drop: ["ALL"], ...(process.component === "kube-apiserver" && { add: ["NET_BIND_SERVICE"] }) },
    },
    ...probes(process, ports),
    ...(lingers(process) > 0 && { lifecycle: { preStop: { sleep: { seconds: lingers(process) } } } }),
    volumeMounts: [
      { name: "files", mountPath: filesPath, readOnly: true },
      { name: "tmp", mountPath: "/tmp" },
      ...heldVolumes(process).mounts,
      // The reconciler that starts the member adds the volume.
      ...(process.component === "etcd" ? [{ name: dataVolume, mountPath: dataPath }] : []),
    ],
  };
}

/**
 * Seconds for which it keeps serving before it is told to stop. Nodes learn that a pod is terminating only while it
 * does, and send its Service's clients to it until then
 * (https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/). Members of etcd are stopped by the reconciler,
 * which knows which of them serve.
 */
const lingers = (process: Process): number =>
  process.component === "etcd" || servedPorts(process).length === 0 ? 0 : 4;

/** The variable that holds the pod's own address. */
export const podAddress = "POD_IP";

/**
 * Probed every second until it serves, so that whatever waits for it continues at once. One that hangs for a minute is
 * restarted, and so is one that does not start in time.
 */
function probes({ probe, servingPath, alive, startDeadline }: Process, ports: Readonly<Record<string, number>>) {
  if (probe.kind === "active") throw new Error("it tells systemd when it serves, and nobody else");
  const port = ports[probe.port];
  if (port === undefined) throw new Error(`the probe asks the port "${probe.port}", which there is not`);
  const ask = (path?: string) =>
    probe.kind === "tcp"
      ? { tcpSocket: { port } }
      : { httpGet: { port, path: path ?? servingPath ?? probe.path, scheme: probe.scheme.toUpperCase() } };
  const failureThreshold = seconds(alive?.deadline ?? startDeadline);
  return {
    startupProbe: { ...ask(alive?.path), periodSeconds: 1, timeoutSeconds: 5, failureThreshold },
    readinessProbe: { ...ask(), periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 3 },
    livenessProbe: { tcpSocket: { port }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
  };
}

/**
 * Whether a node may have at most one pod of a process. A process with one pod has two for a moment while it changes.
 */
export const needsOwnNode = (
  { component, copies = 1 }: Process,
  { antiAffinity }: Pick<KubernetesPlacement<unknown>, "antiAffinity">,
): boolean => antiAffinity === "required" && (component === "etcd" || copies > 1);

/**
 * Labels of a pod with a node to itself. A required anti-affinity also applies to later pods: so it selects only these,
 * and pods that may share a node find one while earlier ones are still there.
 */
export const aloneLabels = (alone: boolean) => (alone ? { "karmada-pulumi/alone": "true" } : {});

/** Keeps pods of a kind in separate zones or on separate nodes. */
function apart(process: Process, settings: ResolvedPod["settings"]): types.input.core.v1.Affinity {
  const within = (topologyKey: string) => ({ topologyKey, labelSelector: kindOf(process) });
  const preferred = (topologyKey: string, weight: number) => ({ weight, podAffinityTerm: within(topologyKey) });
  const alone = { matchLabels: { ...kindLabels(process), ...aloneLabels(true) } };
  return {
    podAntiAffinity: {
      ...(needsOwnNode(process, settings) && {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: hostname, labelSelector: alone }],
      }),
      preferredDuringSchedulingIgnoredDuringExecution: [
        preferred(hostname, 100),
        preferred("topology.kubernetes.io/zone", 50),
      ],
    },
  };
}

/**
 * How several of a kind are spread. Pods of a Deployment are counted per revision: otherwise those about to go would
 * decide where the new ones are placed.
 */
function spread(process: Process, { spreadOver }: ResolvedPod["settings"]) {
  const { component, copies = 1 } = process;
  const isMember = component === "etcd";
  if (spreadOver.length === 0 || (!isMember && copies === 1)) return {};
  const constraint = (topologyKey: string) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: kindOf(process),
    ...(!isMember && { matchLabelKeys: ["pod-template-hash"] }),
  });
  return { topologySpreadConstraints: spreadOver.map(constraint) };
}

const hostname = "kubernetes.io/hostname";

const kindOf = (process: Process) => ({ matchLabels: kindLabels(process) });

/** Label with the component of a process. */
export const componentLabel = "app.kubernetes.io/name";

/** Labels that all of a kind have, and no others. */
export const kindLabels = ({ component, group }: Pick<Process, "component" | "group">) => ({
  [componentLabel]: component,
  ...(group !== undefined && { "karmada-pulumi/group": group }),
});
