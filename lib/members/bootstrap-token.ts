import { randomInt } from "node:crypto";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { systemLabels } from "./names.ts";

/** A token for requesting a certificate, and nothing else. */
export interface BootstrapToken {
  /** `<id>.<secret>`. */
  readonly token: string;
  /** The user it authenticates as. */
  readonly user: string;
}

/** How long a token is valid, in case it is never deleted. */
const validMinutes = 10;

/**
 * Makes a token for the agent of a member. It is in none of the groups of upstream's tokens: Karmada automatically
 * approves what those request, the certificate of any agent. A request by this one is approved only by whoever made it.
 */
export async function makeToken(plane: KubeClient, cluster: string): Promise<BootstrapToken> {
  const [id, secret] = [random(6), random(16)];
  const user = `system:bootstrap:${id}`;
  const expiration = new Date(Date.now() + validMinutes * 60_000).toISOString().replace(/\.\d+Z$/, "Z");
  for (const { path, body } of rights(cluster, user)) await plane.apply(path, body);
  // https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#bootstrap-token-secret-format
  await plane.create(secrets, {
    apiVersion: "v1",
    kind: "Secret",
    type: "bootstrap.kubernetes.io/token",
    metadata: {
      name: `bootstrap-token-${id}`,
      namespace: "kube-system",
      labels: { ...systemLabels, [madeFor]: cluster },
    },
    stringData: {
      description: `the agent of ${cluster}`,
      "token-id": id,
      "token-secret": secret,
      expiration,
      "usage-bootstrap-authentication": "true",
    },
  });
  return { token: `${id}.${secret}`, user };
}

/** Deletes every token made for the agent of a member, with its rights; those of interrupted runs too. */
export async function dropTokens(plane: KubeClient, cluster: string): Promise<void> {
  const query = { labelSelector: `${madeFor}=${cluster}` };
  const { items } = await plane.get<{ items: KubeObject[] }>(secrets, { query });
  await Promise.all([
    ...items.map(({ metadata }) => plane.delete(`${secrets}/${metadata?.name}`)),
    ...rights(cluster, "").map(({ path }) => plane.delete(path)),
  ]);
}

/** On a token: the member it was made for. */
export const madeFor = "karmada-pulumi/agent-of";

const secrets = "/api/v1/namespaces/kube-system/secrets";

/** To request a certificate, as long as the token exists. */
function rights(cluster: string, user: string) {
  const apiGroup = "rbac.authorization.k8s.io";
  const name = `system:karmada:${cluster}:agent-bootstrap`;
  const common = { apiVersion: `${apiGroup}/v1`, metadata: { name, labels: systemLabels } };
  const rules = [{ apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests"], verbs: ["create"] }];
  const roleRef = { apiGroup, kind: "ClusterRole", name };
  const subjects = [{ apiGroup, kind: "User", name: user }];
  return [
    { path: `/apis/${apiGroup}/v1/clusterroles/${name}`, body: { ...common, kind: "ClusterRole", rules } },
    {
      path: `/apis/${apiGroup}/v1/clusterrolebindings/${name}`,
      body: { ...common, kind: "ClusterRoleBinding", roleRef, subjects },
    },
  ];
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
const random = (length: number): string => Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
