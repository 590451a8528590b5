import { agentGroup, agentUserOf } from "../../lib/members/names.ts";
import { type CertificateRequest, file, loopback, port, type Process, type Text, text } from "../process.ts";
import type { ApiServer } from "./api-client.ts";
import { type ComponentSettings, limits, settingsArgs } from "./settings.ts";

/** The agent of one member in Pull mode. */
export interface KarmadaAgent extends ComponentSettings {
  readonly member: string;
  /** The control plane it reports to. */
  readonly api: ApiServer;
  /** URL with which the member is registered. */
  readonly memberUrl: Text;
  /** URL of the proxy with which the member is registered. @default that of its kubeconfig, or none */
  readonly proxy?: string | undefined;
  /** Whether it runs in a pod of the member, with the pod's account; then its kubeconfig for the plane is given. */
  readonly inMember: boolean;
  /** Whether the control plane signs its certificate on request; then its kubeconfig for the plane is given too. */
  readonly bootstrapped: boolean;
}

/**
 * Brings to a member what is propagated to it, and reports its state. We write the registration, and the agent has no
 * right to change it: it reports no secrets, and must be told the very endpoint and proxy written there. There is only
 * one, so it elects no leader, and continues at once after a kill.
 */
export function karmadaAgentProcess(agent: KarmadaAgent): Process {
  const { member, api, inMember, bootstrapped } = agent;
  const identity: CertificateRequest = {
    name: agentCertificate(member),
    authority: api.authority,
    commonName: agentUserOf(member),
    organization: agentGroup,
    usages: ["client"],
  };
  return {
    name: agentName(member),
    component: "karmada-agent",
    program: { name: "karmada-agent", version: agent.version },
    recreate: true,
    args: [
      text`--karmada-kubeconfig=${file(planeConfig)}`,
      ...(inMember ? [] : [text`--kubeconfig=${file(memberConfig)}`]),
      `--cluster-name=${member}`,
      text`--cluster-api-endpoint=${agent.memberUrl}`,
      ...(agent.proxy === undefined ? [] : [`--proxy-server-address=${agent.proxy}`]),
      "--report-secrets=None",
      "--leader-elect=false",
      "--cluster-status-update-frequency=10s",
      "--rate-limiter-max-delay=10s",
      text`--metrics-bind-address=${loopback}:${port("metrics")}`,
      text`--health-probe-bind-address=${loopback}:${port("health")}`,
      ...settingsArgs(agent),
    ],
    ports: ["metrics", "health"],
    files: {
      [planeConfig]:
        inMember || bootstrapped
          ? { from: "given" }
          : { from: "kubeconfig", certificate: identity.name, authority: api.authority, server: api.url },
      ...(!inMember && { [memberConfig]: { from: "given" } }),
    },
    certificates: bootstrapped ? [] : [identity],
    ...limits(agent),
    probe: { kind: "http", scheme: "http", port: "health", path: "/healthz" },
    startDeadline: "120s",
    stopDeadline: "10s",
  };
}

/** The agent of a member; its identity is that member. */
export const agentName = (member: string): string => `${member}-karmada-agent`;

/** Name of the certificate that identifies the agent of a member to the plane. */
export const agentCertificate = (member: string): string => `agent-${member}`;

/** The kubeconfig with which an agent reaches the plane. */
export const planeConfig = "karmada.config";

/** The kubeconfig with which a program that serves one member reaches it. */
export const memberConfig = "member.config";
