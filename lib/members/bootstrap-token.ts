import { randomInt } from "node:crypto";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { systemLabels } from "./names.ts";

/** A token by which somebody asks for a certificate, and for nothing else. */
export interface BootstrapToken {
  /** `<id>.<secret>`. */
  readonly token: string;
  /** Who shows it, to the API. */
  readonly user: string;
}

/** How long a token is valid, should nobody come to delete it. */
const validMinutes = 10;

/**
 * Makes a token for the agent of a member. It is in no group of upstream's tokens: Karmada approves by itself what those ask for,
 * the certificate of any agent. What is asked for by this one nobody approves but who made it.
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

/** Deletes every token that was made for the agent of a member, and what they let ask; those of interrupted runs too. */
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

/** To ask for a certificate, for as long as there is the token. */
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
