import { stringify } from "yaml";

type Condition =
  readonly [key: string, operator: "In" | "NotIn", value: string] | readonly [key: string, operator: string];

const isReady = '.status.conditions.[] | select( .type == "Ready" ) | .status';
const isAlive: Condition = [".metadata.deletionTimestamp", "DoesNotExist"];
const isPending: Condition = [".status.phase", "In", "Pending"];

/**
 * Names of images that nobody can pull: of a registry below the domain that never exists (RFC 2606), and those that the
 * end-to-end tests of Karmada itself take for it.
 */
const unpullable = String.raw`^([^/]+\.invalid(:[0-9]+)?|fake)/`;
const unpullableImage = `.spec.containers[].image | select( test(${JSON.stringify(unpullable)}) )`;

const nodeConditions = `conditions:
{{ range NodeConditions }}
- type: {{ .type | Quote }}
  status: {{ .status | Quote }}
  reason: {{ .reason | Quote }}
  message: {{ .message | Quote }}
  lastHeartbeatTime: {{ Now | Quote }}
  lastTransitionTime: {{ or $.metadata.creationTimestamp Now | Quote }}
{{ end }}
`;

const nodeReach = `addresses:
- { type: InternalIP, address: {{ NodeIP | Quote }} }
- { type: Hostname, address: {{ .metadata.name | Quote }} }
daemonEndpoints: { kubeletEndpoint: { Port: {{ NodePort }} } }
`;

const nodeStatus = `${nodeConditions}${nodeReach}nodeInfo:
  architecture: amd64
  bootID: ""
  containerRuntimeVersion: {{ printf "kwok-%s" Version | Quote }}
  kernelVersion: {{ printf "kwok-%s" Version | Quote }}
  kubeProxyVersion: {{ printf "kwok-%s" Version | Quote }}
  kubeletVersion: {{ printf "kwok-%s" Version | Quote }}
  machineID: ""
  operatingSystem: linux
  osImage: ""
  systemUUID: ""
phase: Running
`;

const podAddresses = `hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) .metadata.uid .metadata.name .metadata.namespace | Quote }}
`;

/** The beginning of a loop over the containers of a pod. */
const eachContainer = `containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  restartCount: 0
`;

const runningPod = `phase: Running
startTime: {{ Now | Quote }}
conditions:
{{ range $type := list "Initialized" "Ready" "ContainersReady" "PodScheduled" }}
- { type: {{ $type }}, status: "True", lastTransitionTime: {{ Now | Quote }} }
{{ end }}
${eachContainer}  ready: true
  started: true
  state: { running: { startedAt: {{ Now | Quote }} } }
{{ end }}
${podAddresses}`;

/** The status a kubelet gives a pod whose image it cannot pull and keeps trying to. */
const pullingPod = `phase: Pending
startTime: {{ Now | Quote }}
conditions:
{{ range $type := list "Initialized" "PodScheduled" }}
- { type: {{ $type }}, status: "True", lastTransitionTime: {{ Now | Quote }} }
{{ end }}
{{ range $type := list "Ready" "ContainersReady" }}
- { type: {{ $type }}, status: "False", reason: ContainersNotReady, lastTransitionTime: {{ Now | Quote }} }
{{ end }}
${eachContainer}  ready: false
  started: false
  state:
    waiting:
      {{ if regexMatch ${JSON.stringify(unpullable)} .image }}
      reason: ImagePullBackOff
      message: {{ printf "Back-off pulling image %q" .image | Quote }}
      {{ else }}
      reason: ContainerCreating
      {{ end }}
{{ end }}
${podAddresses}`;

/**
 * What KWOK simulates, as Stage documents (https://kwok.sigs.k8s.io/docs/user/stages-configuration/): nodes become and
 * stay Ready, pods run as soon as they are bound unless nobody can pull their image, those of Jobs complete, deleted
 * ones go. Without stages KWOK exits.
 */
export const kwokStages = [
  stage("node-initialize", "Node", [[isReady, "NotIn", "True"]], { statusTemplate: nodeStatus }),
  stage("node-heartbeat", "Node", [[isReady, "In", "True"]], { statusTemplate: nodeConditions + nodeReach }, 600_000),
  stage("pod-run", "Pod", [isAlive, isPending, [unpullableImage, "DoesNotExist"]], { statusTemplate: runningPod }),
  stage(
    "pod-image-pull",
    "Pod",
    [
      isAlive,
      isPending,
      [unpullableImage, "Exists"],
      [".status.containerStatuses.[].state.waiting.reason", "NotIn", "ImagePullBackOff"],
    ],
    { statusTemplate: pullingPod },
  ),
  stage(
    "pod-complete",
    "Pod",
    [isAlive, [".status.phase", "In", "Running"], [".metadata.ownerReferences.[].kind", "In", "Job"]],
    { statusTemplate: "phase: Succeeded\n" },
  ),
  stage("pod-delete", "Pod", [[".metadata.deletionTimestamp", "Exists"]], { delete: true }),
]
  .map((document) => stringify(document))
  .join("---\n");

function stage(
  name: string,
  kind: "Node" | "Pod",
  when: readonly Condition[],
  next: object,
  delayMilliseconds?: number,
) {
  return {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name },
    spec: {
      resourceRef: { apiGroup: "v1", kind },
      selector: {
        matchExpressions: when.map(([key, operator, value]) => ({
          key,
          operator,
          ...(value === undefined ? {} : { values: [value] }),
        })),
      },
      ...(delayMilliseconds === undefined ? {} : { delay: { durationMilliseconds: delayMilliseconds } }),
      next,
    },
  };
}
