/**
 * Kubeconfig files, as client-go reads them. Only what is needed of @kubernetes/client-node is loaded: all of it takes
 * 130 MB of memory.
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { parse } from "yaml";

/** https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
export interface Kubeconfig {
  readonly currentContext: string;
  readonly contexts: Readonly<Record<string, Context>>;
  readonly clusters: Readonly<Record<string, Entry>>;
  readonly users: Readonly<Record<string, Entry>>;
}
export type Entry = Readonly<Record<string, unknown>>;
export interface Context {
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

/** What the provider's own settings put over the kubeconfig's. */
export interface Overrides {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
}

/** Reads a kubeconfig given as content, or as path (`~` is the home directory). */
export function loadKubeconfig(pathOrContent: string): Kubeconfig {
  const path = pathOrContent.replace(/^~(?=\/|$)/, homedir());
  const isFile = !path.includes("\n") && path.length < 4096 && existsSync(path);
  // content has no directory: relative files are then relative to the working directory
  return isFile ? loadFile(path) : parseKubeconfig(pathOrContent, undefined);
}

/** client-go's default: the files of $KUBECONFIG, where the first to set a value wins, or ~/.kube/config. */
export function loadDefaultKubeconfig(env: NodeJS.ProcessEnv = process.env, home = homedir()): Kubeconfig {
  const named = env["KUBECONFIG"];
  const paths = named ? named.split(delimiter).filter(Boolean) : [join(home, ".kube", "config")];
  const files = paths.filter(existsSync).map(loadFile);
  return {
    currentContext: files.find(({ currentContext }) => currentContext)?.currentContext ?? "",
    contexts: Object.assign({}, ...files.map(({ contexts }) => contexts).reverse()) as Kubeconfig["contexts"],
    clusters: Object.assign({}, ...files.map(({ clusters }) => clusters).reverse()) as Kubeconfig["clusters"],
    users: Object.assign({}, ...files.map(({ users }) => users).reverse()) as Kubeconfig["users"],
  };
}

/** The context in use, `undefined` when it does not exist. */
export function activeContext(kubeconfig: Kubeconfig, { context, cluster }: Overrides): Context | undefined {
  const found = kubeconfig.contexts[context || kubeconfig.currentContext];
  return found && { ...found, cluster: cluster || found.cluster };
}

/** The cluster in use, `undefined` when it does not exist. */
export function activeCluster(kubeconfig: Kubeconfig, overrides: Overrides): Entry | undefined {
  const context = activeContext(kubeconfig, overrides);
  return context && kubeconfig.clusters[context.cluster];
}

function loadFile(path: string): Kubeconfig {
  return parseKubeconfig(readFileSync(path, "utf8"), dirname(path));
}

function parseKubeconfig(text: string, directory: string | undefined): Kubeconfig {
  const config = (parse(text) ?? {}) as unknown;
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    throw new Error("couldn't get version/kind; the text is not a kubeconfig, and no file has this path");
  }
  const fields = config as Entry;
  const clusters = named(fields["clusters"], "cluster");
  return {
    currentContext: string(fields["current-context"]),
    contexts: Object.fromEntries(
      Object.entries(named(fields["contexts"], "context")).map(([name, context]) => [
        name,
        {
          cluster: string(context["cluster"]),
          user: string(context["user"]),
          namespace: string(context["namespace"]),
        },
      ]),
    ),
    clusters: relativeTo(directory, clusters, ["certificate-authority"]),
    users: relativeTo(directory, named(fields["users"], "user"), ["client-certificate", "client-key", "tokenFile"]),
  };
}

function named(list: unknown, key: string): Record<string, Entry> {
  if (!Array.isArray(list)) return {};
  return Object.fromEntries(
    (list as Entry[]).map((each) => [string(each["name"]), (each[key] ?? {}) as Entry] as const),
  );
}

/** Paths in a kubeconfig file are relative to the file. */
function relativeTo(
  directory: string | undefined,
  entries: Record<string, Entry>,
  fields: string[],
): Record<string, Entry> {
  if (directory === undefined) return entries;
  const resolve = (entry: Entry): Entry => {
    const paths = fields.filter((field) => typeof entry[field] === "string" && !isAbsolute(entry[field] as string));
    return { ...entry, ...Object.fromEntries(paths.map((field) => [field, join(directory, entry[field] as string)])) };
  };
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, resolve(entry)]));
}

function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}
