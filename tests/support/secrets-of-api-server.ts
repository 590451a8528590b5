import type { KubeClient } from "../../lib/kube/client.ts";

const secrets = "/api/v1/namespaces/default/secrets";

/** Writes a Secret with a password: `of <name>`. */
export const writeSecret = (plane: KubeClient, name: string) =>
  plane.create(secrets, { metadata: { name }, stringData: { password: `of ${name}` } });

/** The password in it, as an API server tells it. */
export async function passwordIn(plane: KubeClient, name: string): Promise<string> {
  const { data } = await plane.get<{ data: { password: string } }>(`${secrets}/${name}`);
  return Buffer.from(data.password, "base64").toString();
}

/** An object as etcd has it: what is not text of it too, a character for each byte. */
export async function storedIn(etcd: string, path: string): Promise<{ text: string; revision: number }> {
  const key = Buffer.from(`/registry/${path}`).toString("base64");
  const answer = await fetch(`${etcd}/v3/kv/range`, { method: "POST", body: JSON.stringify({ key }) });
  const { kvs } = (await answer.json()) as { kvs: { value: string; mod_revision: string }[] };
  return { text: Buffer.from(kvs[0]!.value, "base64").toString("latin1"), revision: Number(kvs[0]!.mod_revision) };
}
