import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";
import { base64 } from "../../lib/base64.ts";
import { bindClusterRole, grant, grantIn, group, user } from "./grants.ts";

/** Who may request a certificate with a bootstrap token; the group is upstream's. */
const bootstrapGroup = group("system:bootstrappers:karmada:default-cluster-token");
const agentGroup = group("system:karmada:agents");

/** The API as reached by an agent that has only a token. */
export interface BootstrapArgs {
  readonly url: string;
  readonly authority: pulumi.Output<string>;
  readonly karmadactlRegister: boolean;
}

/**
 * Lets an agent request a certificate with a token, and renew its own; on request, everything that `karmadactl
 * register` needs.
 */
export function createBootstrap(
  name: string,
  { url, authority, karmadactlRegister }: BootstrapArgs,
  opts: pulumi.CustomResourceOptions,
): void {
  new k8s.core.v1.ConfigMap(
    `${name}-cluster-info`,
    {
      metadata: { name: "cluster-info", namespace: "kube-public" },
      data: { kubeconfig: authority.apply((pem) => clusterInfo(url, pem)) },
    },
    opts,
  );
  grantIn(
    `${name}-cluster-info`,
    {
      namespace: "kube-public",
      role: "system:karmada:bootstrap-signer-clusterinfo",
      rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["cluster-info"], verbs: ["get"] }],
      subjects: [user("system:anonymous")],
    },
    opts,
  );
  bindClusterRole(
    `${name}-agent-bootstrap`,
    { binding: "system:karmada:agent-bootstrap", role: "system:node-bootstrapper", subjects: [bootstrapGroup] },
    opts,
  );
  grant(
    `${name}-agent-autoapprove-rotation`,
    {
      role: "system:karmada:certificatesigningrequest:selfautoapprover",
      rules: approved("selfclusteragent"),
      subjects: [agentGroup],
      binding: "system:karmada:agent-autoapprove-certificate-rotation",
    },
    opts,
  );
  if (karmadactlRegister) grantRegistering(name, opts);
}

/**
 * What upstream's installers grant in addition. With the first, any token serves for the agent of any member, since
 * Karmada checks the name in a request only for renewals; with the second, for an administrator.
 */
function grantRegistering(name: string, opts: pulumi.CustomResourceOptions): void {
  grant(
    `${name}-agent-autoapprove-bootstrap`,
    {
      role: "system:karmada:certificatesigningrequest:autoapprover",
      rules: approved("clusteragent"),
      subjects: [bootstrapGroup],
      binding: "system:karmada:agent-autoapprove-bootstrap",
    },
    opts,
  );
  grant(
    `${name}-agent-rbac-generator`,
    {
      role: "system:karmada:agent-rbac-generator",
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
      subjects: [user("system:karmada:agent:rbac-generator")],
    },
    opts,
  );
}

/** Certificate requests that Karmada approves automatically. */
const approved = (subresource: string) => [
  {
    apiGroups: ["certificates.k8s.io"],
    resources: [`certificatesigningrequests/${subresource}`],
    verbs: ["create"],
  },
];

function clusterInfo(server: string, pem: string): string {
  const cluster = { server, "certificate-authority-data": base64(pem) };
  return stringify({ apiVersion: "v1", kind: "Config", clusters: [{ name: "", cluster }], contexts: [], users: [] });
}
