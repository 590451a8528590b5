import type { KubeClient, KubeObject } from "../kube/client.ts";
import { type PreparedMember, preparedName } from "./kubernetes-member.ts";

/** A member as it is written down in its ConfigMap; undefined when it is not. */
export async function findPrepared(
  client: KubeClient,
  namespace: string,
  member: string,
): Promise<PreparedMember | undefined> {
  const object = await client.find<KubeObject>(`/api/v1/namespaces/${namespace}/configmaps/${preparedName(member)}`);
  if (object === undefined) return undefined;
  const { revision, member: text } = object["data"] as { revision: string; member: string };
  return { revision, ...(JSON.parse(text) as Omit<PreparedMember, "revision">) };
}

/** A member as it is written down in its ConfigMap. @throws when it is not */
export async function preparedMember(client: KubeClient, namespace: string, member: string): Promise<PreparedMember> {
  const prepared = await findPrepared(client, namespace, member);
  if (prepared === undefined) throw new Error(`${member}: starting it: it is not prepared in namespace ${namespace}`);
  return prepared;
}
