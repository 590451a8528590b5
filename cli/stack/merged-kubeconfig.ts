import { parse } from "yaml";
import { yamlText } from "../../lib/yaml-text.ts";

/** A kubeconfig of one context, as this program writes it. */
interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: object }[];
  readonly users: readonly { readonly user: object }[];
  readonly contexts: readonly object[];
}

/**
 * A kubeconfig with one more context for each of the others, called by its name as in Karmada's own walkthroughs
 * (`kubectl --context member1 get pods`). The current context stays.
 *
 * @param others kubeconfigs with one context each, by name
 */
export function mergedKubeconfig(kubeconfig: string, others: Readonly<Record<string, string>>): string {
  if (Object.keys(others).length === 0) return kubeconfig;
  const first = parse(kubeconfig) as Kubeconfig;
  // A member may have an existing name: `karmada`, `admin`.
  const more = Object.entries(others).map(([context, text]) => ({
    context,
    name: `member/${context}`,
    ...(parse(text) as Kubeconfig),
  }));
  return yamlText({
    ...first,
    clusters: [...first.clusters, ...more.map(({ name, clusters }) => ({ name, cluster: clusters[0]?.cluster }))],
    users: [...first.users, ...more.map(({ name, users }) => ({ name, user: users[0]?.user }))],
    contexts: [
      ...first.contexts,
      ...more.map(({ context, name }) => ({ name: context, context: { cluster: name, user: name } })),
    ],
  });
}
