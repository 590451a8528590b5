import { parse } from "yaml";
import { yamlText } from "../yaml-text.ts";

/**
 * A kubeconfig reduced to one context with its cluster and user, unchanged: the rest of the file concerns other
 * clusters, and its changes must not cause any here. Problems are reported where it is read to connect.
 *
 * @param context the one to keep; by default the current one
 * @param changed the cluster that is put in the place of the one found. @default the same
 */
export function oneContext(
  kubeconfig: string,
  context?: string,
  changed: (cluster: Cluster) => Cluster = (cluster) => cluster,
): string {
  const config = read(kubeconfig);
  if (config === undefined) return kubeconfig;
  const name = context ?? config["current-context"];
  const kept = named(config.contexts, name);
  const { cluster: clusterName, user: userName } = (kept?.["context"] ?? {}) as Record<string, unknown>;
  const [found, user] = [named(config.clusters, clusterName), named(config.users, userName)];
  const cluster = found?.["cluster"] as Cluster | undefined;
  if (kept === undefined || user === undefined || typeof cluster?.server !== "string")
    return yamlText({ ...config, "current-context": name });
  return yamlText({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [kept],
    clusters: [{ ...found, cluster: changed(cluster) }],
    users: [user],
  });
}

/** A cluster's entry in a kubeconfig, with all that it has there. */
type Cluster = Named & { readonly server: string };

type Named = Readonly<Record<string, unknown>>;

interface Kubeconfig {
  readonly "current-context"?: unknown;
  readonly contexts?: unknown;
  readonly clusters?: unknown;
  readonly users?: unknown;
}

function read(text: string): Kubeconfig | undefined {
  try {
    const config: unknown = parse(text);
    return typeof config === "object" && config !== null && !Array.isArray(config) ? config : undefined;
  } catch {
    return undefined;
  }
}

const named = (entries: unknown, name: unknown): Named | undefined =>
  Array.isArray(entries)
    ? ((entries as readonly (Named | null)[]).find((each) => each?.["name"] === name) ?? undefined)
    : undefined;
