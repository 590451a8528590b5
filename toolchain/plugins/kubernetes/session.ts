/** A configured provider: its settings, and the cluster when it can be reached. */
import { accessOf } from "./access.ts";
import { ApiClient } from "./api-client.ts";
import { Cluster } from "./cluster.ts";
import { discovering, Discovery } from "./discovery.ts";
import type { GroupVersionKind } from "./gvk.ts";
import { isKnownNamespaced } from "./kinds.ts";
import { activeContext, loadDefaultKubeconfig, loadKubeconfig } from "./kubeconfig.ts";
import type { Kubeconfig } from "./kubeconfig.ts";
import type { Settings } from "./settings.ts";
import { Throttle } from "./throttle.ts";

export class Session {
  readonly settings: Settings;
  /** Namespace of objects that name none; empty when nothing says which. */
  readonly defaultNamespace: string;
  readonly #cluster: Cluster | undefined;
  /** Why there is no cluster to talk to; `undefined` when there is. */
  readonly unreachable: string | undefined;
  /** Whether the custom kinds this program declares live in a namespace, by `group/Kind`. */
  readonly declaredScopes = new Map<string, boolean>();

  private constructor(settings: Settings, defaultNamespace: string, cluster: Cluster | string) {
    this.settings = settings;
    this.defaultNamespace = defaultNamespace;
    if (typeof cluster === "string") this.unreachable = cluster;
    else this.#cluster = cluster;
  }

  /** A cluster that does not answer now counts as unreachable for the whole run. */
  static async open(settings: Settings): Promise<Session> {
    let kubeconfig: Kubeconfig;
    try {
      kubeconfig = settings.kubeconfig ? loadKubeconfig(settings.kubeconfig) : loadDefaultKubeconfig();
    } catch (error) {
      const reason = `failed to parse kubeconfig data in \`kubernetes:config:kubeconfig\`- ${(error as Error).message}`;
      return new Session(settings, settings.namespace ?? "", reason);
    }
    const namespace = settings.namespace || activeContext(kubeconfig, settings)?.namespace || "default";
    return new Session(settings, namespace, await connect(kubeconfig, settings));
  }

  /** Throws when the cluster cannot be reached. */
  get cluster(): Cluster {
    if (this.#cluster) return this.#cluster;
    throw new Error(`configured Kubernetes cluster is unreachable: ${this.unreachable}`);
  }

  /** Whether objects of the kind live in a namespace; `undefined` when its CustomResourceDefinition is not there yet. */
  async isNamespaced(gvk: GroupVersionKind): Promise<boolean | undefined> {
    const known = isKnownNamespaced(gvk) ?? this.declaredScopes.get(`${gvk.group}/${gvk.kind}`);
    if (known !== undefined || this.#cluster === undefined) return known;
    return (await this.#cluster.discovery.findCached(gvk).catch(() => undefined))?.namespaced;
  }
}

async function connect(kubeconfig: Kubeconfig, settings: Settings): Promise<Cluster | string> {
  let client: ApiClient;
  try {
    const throttle = new Throttle({ perSecond: settings.qps, burst: settings.burst });
    client = new ApiClient(await accessOf(kubeconfig, settings), { timeoutMs: settings.timeoutMs, throttle });
  } catch (error) {
    return (
      "unable to load Kubernetes client configuration from kubeconfig file. Make sure you have: \n\n" +
      " \t • set up the provider as per https://www.pulumi.com/registry/packages/kubernetes/installation-configuration/ \n\n " +
      (error as Error).message
    );
  }
  try {
    const { major, minor } = await client.request("/version", discovering);
    const version = [Number.parseInt(String(major), 10), Number.parseInt(String(minor), 10)] as const;
    return new Cluster(client, new Discovery(client), version);
  } catch (error) {
    return `unable to load schema information from the API server: ${(error as Error).message}`;
  }
}
