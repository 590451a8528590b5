import { stringify } from "yaml";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { paths } from "../members/names.ts";

/** A member as known to the plane that is taken over. */
export interface ForeignMember {
  readonly name: string;
  readonly syncMode: "Push" | "Pull";
  readonly provider?: string;
  readonly region?: string;
  readonly zones: readonly string[];
  /** With which the plane reaches it, in Push mode. */
  readonly kubeconfig?: string;
}

/** Every cluster that is registered. @param client of the Karmada API, as an administrator */
export async function readMembers(client: KubeClient): Promise<ForeignMember[]> {
  const { items } = await client.get<{ items: KubeObject[] }>(paths.clusters);
  return Promise.all(items.map((cluster) => memberOf(client, cluster)));
}

async function memberOf(client: KubeClient, { metadata, spec }: KubeObject): Promise<ForeignMember> {
  const { provider, region, zone, zones = zone ? [zone] : [] } = (spec ?? {}) as Fields;
  const member = {
    name: metadata?.name ?? "",
    syncMode: spec?.syncMode === "Pull" ? "Pull" : "Push",
    ...(provider && { provider }),
    ...(region && { region }),
    zones,
  } as const;
  if (member.syncMode === "Pull" || !spec?.secretRef) return member;
  const { namespace, name } = spec.secretRef as { namespace: string; name: string };
  const secret = await client.get(`/api/v1/namespaces/${namespace}/secrets/${name}`);
  const kubeconfig = kubeconfigOf(spec, (secret["data"] ?? {}) as Record<string, string>);
  return kubeconfig === undefined ? member : { ...member, kubeconfig };
}

interface Fields {
  readonly provider?: string;
  readonly region?: string;
  readonly zone?: string;
  readonly zones?: readonly string[];
}

/** What Karmada logs in to a member with, as a kubeconfig; undefined without a token. */
export function kubeconfigOf(
  spec: NonNullable<KubeObject["spec"]>,
  data: Readonly<Record<string, string>>,
): string | undefined {
  const { token, caBundle } = data;
  if (token === undefined) return undefined;
  const cluster = {
    server: spec.apiEndpoint as string,
    ...(spec.proxyURL && { "proxy-url": spec.proxyURL as string }),
    ...(spec.insecureSkipTLSVerification === true
      ? { "insecure-skip-tls-verify": true }
      : { "certificate-authority-data": caBundle }),
  };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "member", cluster }],
    users: [{ name: "karmada", user: { token: Buffer.from(token, "base64").toString() } }],
    contexts: [{ name: "member", context: { cluster: "member", user: "karmada" } }],
    "current-context": "member",
  });
}
