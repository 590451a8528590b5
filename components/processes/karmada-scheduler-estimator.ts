import { file, host, loopback, port, type Process, text } from "../process.ts";
import { authority, pair, serving } from "./certificates.ts";
import { memberConfig } from "./karmada-agent.ts";
import { type ComponentSettings, limits, settingsArgs } from "./settings.ts";

/** The estimator of one member. */
export interface SchedulerEstimator extends ComponentSettings {
  readonly member: string;
}

/**
 * Tells karmada-scheduler, over mutual TLS, how many replicas a member has room for, from its nodes and pods. Its gRPC port
 * has no bind address: it listens on every interface, and nobody without a certificate of the control plane gets an answer.
 */
export function schedulerEstimatorProcess(estimator: SchedulerEstimator): Process {
  const { member } = estimator;
  const name = estimatorName(member);
  const leaf = serving(`estimator-${member}`, name, [[host(name)]]);
  return {
    name,
    component: "karmada-scheduler-estimator",
    program: { name: "karmada-scheduler-estimator", version: estimator.version },
    args: [
      text`--kubeconfig=${file(memberConfig)}`,
      `--cluster-name=${member}`,
      text`--server-port=${port("grpc")}`,
      text`--grpc-auth-cert-file=${file("pki/server.crt")}`,
      text`--grpc-auth-key-file=${file("pki/server.key")}`,
      text`--grpc-client-ca-file=${file("pki/ca.crt")}`,
      text`--metrics-bind-address=${loopback}:${port("metrics")}`,
      text`--health-probe-bind-address=${loopback}:${port("health")}`,
      ...settingsArgs(estimator),
    ],
    ports: ["grpc", "metrics", "health"],
    callers: { grpc: ["karmada-scheduler", "karmada-descheduler"] },
    files: {
      "pki/ca.crt": authority("karmada"),
      ...pair("pki/server", leaf.name),
      [memberConfig]: { from: "given" },
    },
    certificates: [leaf],
    ...limits(estimator),
    // It listens once it has read the member's nodes and pods.
    probe: { kind: "tcp", port: "grpc" },
    startDeadline: "120s",
    stopDeadline: "10s",
  };
}

/** The estimator of a member; its identity is that member. */
export const estimatorName = (member: string): string => `${member}-karmada-scheduler-estimator`;
