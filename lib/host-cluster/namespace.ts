import type { KubeClient, KubeObject } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds } from "./needs.ts";

/** On a namespace: the name of the deployment that has it to itself. */
export const ownerAnnotation = "karmada-pulumi/deployment";

/** On a namespace: which of the deployments of that name it is. Earlier versions left it out. */
export const instanceAnnotation = "karmada-pulumi/instance";

export const namespacePath = (namespace: string): string => `/api/v1/namespaces/${namespace}`;

/** The deployment that has a namespace; undefined when it is none of ours. */
export const ownerOf = ({ metadata }: KubeObject): string | undefined => metadata?.annotations?.[ownerAnnotation];

/** Whether a namespace is that of a deployment, and of no other of the same name. */
export const isOwned = (found: KubeObject, { deployment, instance }: Owner): boolean =>
  ownerOf(found) === deployment && [undefined, instance].includes(found.metadata?.annotations?.[instanceAnnotation]);

/** Finds that the namespace belongs to others. */
export async function judgeNamespace(
  client: KubeClient,
  { namespace, ...owner }: Owner & Pick<HostClusterNeeds, "namespace">,
): Promise<Finding[]> {
  const found = await client.find(namespacePath(namespace));
  // One that is being deleted will soon be free, and is waited for.
  if (found === undefined || isOwned(found, owner) || found.metadata?.deletionTimestamp !== undefined) return [];
  const theirs = ownerOf(found);
  if (theirs === owner.deployment)
    return [
      error(
        "namespace",
        `"${namespace}" is there already and belongs to the deployment "${theirs}" of another stack, want one of its own; should that stack be lost: kubectl annotate namespace ${namespace} ${instanceAnnotation}-`,
      ),
    ];
  const whose = theirs === undefined ? await whoseElse(client, namespace) : `belongs to the deployment "${theirs}"`;
  return [error("namespace", `"${namespace}" is there already and ${whose}, want one of its own`)];
}

type Owner = Pick<HostClusterNeeds, "deployment" | "instance">;

/** Who has put something into a namespace that is not marked as ours. */
async function whoseElse(client: KubeClient, namespace: string): Promise<string> {
  const { items } = await client.get<{ items: KubeObject[] }>(`/apis/apps/v1/namespaces/${namespace}/deployments`);
  for (const { metadata } of items) {
    const installer = installers.find(({ made }) => made(metadata ?? {}));
    if (installer !== undefined) return `has ${installer.what(metadata ?? {})} in it (Deployment ${metadata?.name})`;
  }
  return "was not made by this program";
}

type Metadata = NonNullable<KubeObject["metadata"]>;

const managedBy = ({ labels }: Metadata): string | undefined => labels?.["app.kubernetes.io/managed-by"];
const helmRelease = ({ annotations }: Metadata): string | undefined => annotations?.["meta.helm.sh/release-name"];

/** How Deployments of other installers are recognised. */
const installers: readonly { made(metadata: Metadata): boolean; what(metadata: Metadata): string }[] = [
  { made: (metadata) => managedBy(metadata) === "karmada-pulumi", what: () => "a deployment of this program" },
  { made: (metadata) => managedBy(metadata) === "karmada-operator", what: () => "a Karmada of karmada-operator" },
  {
    made: (metadata) => helmRelease(metadata) !== undefined,
    what: (metadata) => `the Helm release "${helmRelease(metadata)}"`,
  },
  { made: ({ name }) => name === "karmada-apiserver", what: () => "a Karmada of karmadactl init" },
];
