import type { Process } from "../process.ts";
import { bind, file, port, text } from "../process.ts";
import type { ApiAccess } from "./api-client.ts";
import { kubeconfigArgs } from "./api-client.ts";
import { kwokStages } from "./kwok-stages.ts";

export interface Kwok {
  readonly name: string;
  readonly version: string;
  /** As the member's administrator: KWOK writes nodes, pods and leases. */
  readonly access: ApiAccess;
}

/** Plays the kubelets of a simulated member: nodes stay Ready, pods that are bound to them become Running. */
export function kwokProcess(kwok: Kwok): Process {
  return {
    name: kwok.name,
    component: "kwok",
    program: { name: "kwok", version: kwok.version },
    args: [
      ...kubeconfigArgs(kwok.access),
      "--manage-all-nodes=true",
      text`--server-address=${bind}:${port("server")}`,
      "--node-lease-duration-seconds=40",
      text`--config=${file("stages.yaml")}`,
    ],
    ports: ["server"],
    files: {
      ...kwok.access.files,
      "stages.yaml": { from: "text", text: kwokStages },
    },
    certificates: kwok.access.certificates,
    probe: { kind: "http", scheme: "http", port: "server", path: "/healthz" },
    startDeadline: "60s",
    stopDeadline: "5s",
  };
}
