import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";
import { bindClusterRole, grant, grantIn, user } from "./grants.ts";

/** Who may join with a bootstrap token; the group is upstream's. */
const bootstrapGroup = group("system:bootstrappers:karmada:default-cluster-token");
const agentGroup = group("system:karmada:agents");
const csrs = (subresource: string) => [
  {
    apiGroups: ["certificates.k8s.io"],
    resources: [`certificatesigningrequests/${subresource}`],
    verbs: ["create"],
  },
];

/**
 * What lets an agent join with a token, as `karmadactl register` expects it, except for one thing: upstream's
 * `system:karmada:agent-rbac-generator` is left out, because whoever holds a token becomes administrator with it.
 */
export function createBootstrap(
  name: string,
  api: { readonly url: string; readonly authority: pulumi.Output<string> },
  opts: pulumi.CustomResourceOptions,
): void {
  new k8s.core.v1.ConfigMap(
    `${name}-cluster-info`,
    {
      metadata: { name: "cluster-info", namespace: "kube-public" },
      data: { kubeconfig: api.authority.apply((pem) => clusterInfo(api.url, pem)) },
    },

    opts,
  );
  grantIn(
    "kube-public",
    `${name}-cluster-info`,
    "system:karmada:bootstrap-signer-clusterinfo",
    [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["cluster-info"], verbs: ["get"] }],
    [user("system:anonymous")],
    opts,
  );
  bindClusterRole(
    `${name}-agent-bootstrap`,
    "system:karmada:agent-bootstrap",
    "system:node-bootstrapper",
    [bootstrapGroup],
    opts,
  );
  grant(
    `${name}-agent-autoapprove-bootstrap`,
    "system:karmada:certificatesigningrequest:autoapprover",
    csrs("clusteragent"),
    [bootstrapGroup],
    opts,
    "system:karmada:agent-autoapprove-bootstrap",
  );
  grant(
    `${name}-agent-autoapprove-rotation`,
    "system:karmada:certificatesigningrequest:selfautoapprover",
    csrs("selfclusteragent"),
    [agentGroup],
    opts,
    "system:karmada:agent-autoapprove-certificate-rotation",
  );
}

function clusterInfo(server: string, pem: string): string {
  const cluster = { server, "certificate-authority-data": Buffer.from(pem).toString("base64") };
  return stringify({ apiVersion: "v1", kind: "Config", clusters: [{ name: "", cluster }], contexts: [], users: [] });
}

function group(name: string) {
  return { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name };
}
