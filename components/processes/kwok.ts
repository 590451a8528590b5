import { bind, file, host, port, type Process, text } from "../process.ts";
import { type ApiAccess, kubeconfigArgs } from "./api-client.ts";
import { kwokStages } from "./kwok-stages.ts";

/** The kwok of one simulated member. */
export interface Kwok {
  readonly name: string;
  readonly version: string;
  /** As the member's administrator: KWOK writes nodes, pods and leases. */
  readonly access: ApiAccess;
}

/**
 * Simulates the kubelets of a simulated member: nodes stay Ready, pods that are bound to them become Running. It also
 * serves as each node's kubelet, so that requests about pods are answered here and not by a real kubelet of this
 * machine.
 */
export function kwokProcess(kwok: Kwok): Process {
  return {
    name: kwok.name,
    component: "kwok",
    program: { name: "kwok", version: kwok.version },
    args: [
      ...kubeconfigArgs(kwok.access),
      "--manage-all-nodes=true",
      text`--server-address=${bind}:${port("server")}`,
      text`--node-ip=${host()}`,
      text`--node-port=${port("server")}`,
      "--node-lease-duration-seconds=40",
      // A CSV list: the directory of a deployment may have a comma in its name.
      text`--config="${file("stages.yaml")}"`,
    ],
    ports: ["server"],
    files: {
      ...kwok.access.files,
      "stages.yaml": { from: "text", text: text`${kwokStages}---\n${podLogs}` },
      [podLog]: { from: "text", text: `1970-01-01T00:00:00Z stdout F ${noContainer}\n` },
    },
    certificates: kwok.access.certificates,
    probe: { kind: "http", scheme: "http", port: "server", path: "/healthz" },
    startDeadline: "60s",
    stopDeadline: "5s",
  };
}

const podLog = "pod.log";
const noContainer = "a simulated cluster runs no containers: its logs are this line";

/** Gives every container the same log (https://kwok.sigs.k8s.io/docs/user/logs-configuration/). */
const podLogs = text`apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterLogs
metadata: { name: pods }
spec:
  logs:
    - logsFile: |-
        ${file(podLog)}
`;
