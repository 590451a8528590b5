import { X509Certificate } from "node:crypto";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { namespacedPath } from "../kube/paths.ts";
import { type ProgramName, readWorkloads, secretAt, type Workload } from "./workloads.ts";

/** Who builds Karmadas in pods. */
export type Maker = "karmadactl init" | "the Helm chart" | "karmada-operator" | "somebody";

/** A certificate and its key, PEM. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** A Karmada that something else has built in a host cluster, as far as it is taken over. */
export interface ForeignPlane {
  readonly namespace: string;
  readonly maker: Maker;
  readonly workloads: readonly Workload[];
  readonly authorities: { readonly karmada: Pair; readonly "front-proxy"?: Pair };
  /** PEM. */
  readonly serviceAccountKey: string;
  /** Names that the clients of the API server may know it by. */
  readonly names: readonly string[];
  /** How clients reach the API server. */
  readonly service: KubeObject | undefined;
  /** DNS domain of the host cluster. */
  readonly clusterDomain: string;
  readonly etcd: Pair & { readonly ca: string; readonly workload: Workload };
  /** Kubeconfig of a Karmada administrator, with the address as pods know it. */
  readonly kubeconfig: string;
}

/** The API server of a Karmada that something else has built, and how an administrator logs in to it. */
export interface Administrator {
  readonly maker: Maker;
  readonly workloads: readonly Workload[];
  readonly apiserver: Workload;
  /** Kubeconfig of a Karmada administrator, with the address as pods know it. */
  readonly kubeconfig: string;
}

/** Finds a Karmada by what pods execute. @throws when a namespace has none, or more than one */
export async function readAdministrator(client: KubeClient, namespace: string): Promise<Administrator> {
  const workloads = await readWorkloads(client, namespace);
  const where = whereabouts(client, namespace);
  const apiserver = theOnly(workloads, "kube-apiserver", where);
  const controller = theOnly(workloads, "karmada-controller-manager", where);
  const kubeconfig = await new Secrets(client, namespace).wanted(controller, "kubeconfig");
  return { maker: makerOf(apiserver.object), workloads, apiserver, kubeconfig };
}

/**
 * Reads a plane from the arguments of its programs and the Secrets mounted where they look, whoever built it.
 *
 * @throws when there is none, or when it cannot be taken over, with the reason
 */
export async function readPlane(client: KubeClient, namespace: string): Promise<ForeignPlane> {
  const workloads = await readWorkloads(client, namespace);
  const where = whereabouts(client, namespace);
  const only = (program: ProgramName) => theOnly(workloads, program, where);
  const [apiserver, manager] = [only("kube-apiserver"), only("kube-controller-manager")];
  refuseData(where, apiserver, workloads);
  const controller = only("karmada-controller-manager");
  const files = new Secrets(client, namespace);
  const [ca, karmadaKey, serviceAccountKey, serving, front, etcdCa, etcdCertificate, etcdKey, kubeconfig] =
    await Promise.all([
      files.certificate(apiserver, "client-ca-file"),
      files.wanted(manager, "cluster-signing-key-file"),
      files.wanted(apiserver, "service-account-signing-key-file"),
      files.certificate(apiserver, "tls-cert-file"),
      files.pair(apiserver, "requestheader-client-ca-file"),
      files.wanted(apiserver, "etcd-cafile"),
      files.wanted(apiserver, "etcd-certfile"),
      files.wanted(apiserver, "etcd-keyfile"),
      files.wanted(controller, "kubeconfig"),
    ]);
  const { items } = await client.get<{ items: KubeObject[] }>(namespacedPath(namespace, "services"));
  const isOwn = front?.certificate.trim() !== ca.trim();
  return {
    namespace,
    maker: makerOf(apiserver.object),
    workloads,
    authorities: { karmada: { certificate: ca, key: karmadaKey }, ...(front && isOwn && { "front-proxy": front }) },
    serviceAccountKey,
    names: namesOf(serving),
    service: items.find((service) => leadsTo(service, apiserver)),
    clusterDomain:
      /^https:\/\/kubernetes\.default\.svc\.(.+)$/.exec(apiserver.flags["service-account-issuer"] ?? "")?.[1] ??
      "cluster.local",
    etcd: { ca: etcdCa, certificate: etcdCertificate, key: etcdKey, workload: only("etcd") },
    kubeconfig,
  };
}

const whereabouts = ({ server }: KubeClient, namespace: string): string => `namespace ${namespace} of ${server}`;

function theOnly(workloads: readonly Workload[], program: ProgramName, where: string): Workload {
  const [first, second] = workloads.filter((each) => each.program === program);
  if (first === undefined)
    throw new Error(`${where}: no ${program} runs there, want a Karmada: name its namespace with --namespace`);
  if (second !== undefined)
    throw new Error(`${where}: there is more than one ${program} (${first.name}, ${second.name}), want one Karmada`);
  return first;
}

/** Refuses data that would not be understood or cannot be reached. */
function refuseData(where: string, { flags }: Workload, workloads: readonly Workload[]): void {
  const {
    "etcd-prefix": prefix = "/registry",
    "encryption-provider-config": encryption,
    "etcd-servers": servers,
  } = flags;
  if (!workloads.some(({ program }) => program === "etcd"))
    throw new Error(
      `${where}: its etcd is not there but at ${servers}; take a snapshot of it with etcdctl and go on by hand (docs/recovery.md, B), or keep it (etcd.kind: external)`,
    );
  if (prefix !== "/registry")
    throw new Error(`${where}: its keys are below ${prefix} in etcd, want /registry: a restore cannot move them`);
  if (encryption !== undefined)
    throw new Error(
      `${where}: its secrets are encrypted in etcd (--encryption-provider-config), decrypt them there first`,
    );
}

/** What is mounted where programs look for it. */
class Secrets {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #read = new Map<string, Promise<KubeObject>>();

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** The file that a flag names. @throws when it comes from no Secret, or is not in it */
  async wanted(workload: Workload, flag: string): Promise<string> {
    const at = this.#placeOf(workload, flag);
    const text = await this.#text(at.name, at.key);
    if (text === undefined)
      throw new Error(
        `Secret ${this.#namespace}/${at.name}: has no ${at.key}, which ${workload.name} needs (--${flag})`,
      );
    return text;
  }

  /** The certificate that a flag names, or the first of several. @throws when there is none, in PEM */
  async certificate(workload: Workload, flag: string): Promise<string> {
    const text = await this.wanted(workload, flag);
    try {
      new X509Certificate(text);
      return text;
    } catch (error) {
      const { name, key } = this.#placeOf(workload, flag);
      throw new Error(
        `Secret ${this.#namespace}/${name}: reading ${key}, which ${workload.name} serves or trusts (--${flag}): no certificate in PEM; correct it there first`,
        { cause: error },
      );
    }
  }

  /** A certificate that a flag names, and the key that lies beside it; undefined where there is no such key. */
  async pair(workload: Workload, flag: string): Promise<Pair | undefined> {
    const { name, key } = this.#placeOf(workload, flag);
    const [certificate, secret] = await Promise.all([
      this.#text(name, key),
      this.#text(name, key.replace(/\.crt$/, ".key")),
    ]);
    if (certificate === undefined || secret === undefined || secret === certificate) return undefined;
    return { certificate, key: secret };
  }

  #placeOf(workload: Workload, flag: string): { name: string; key: string } {
    const path = workload.flags[flag];
    if (path === undefined || path === "")
      throw new Error(`${workload.name}: is not told --${flag}, want a Karmada as its installers build it`);
    const at = secretAt(workload, path);
    if (at === undefined)
      throw new Error(`${workload.name}: ${path} (--${flag}) comes from no Secret, and cannot be read`);
    return at;
  }

  async #text(name: string, key: string): Promise<string | undefined> {
    const reading = this.#read.get(name) ?? this.#client.get(namespacedPath(this.#namespace, "secrets", name));
    this.#read.set(name, reading);
    const data = (await reading)["data"]?.[key] as string | undefined;
    return data === undefined || data === "" ? undefined : Buffer.from(data, "base64").toString();
  }
}

function makerOf({ metadata }: KubeObject): Maker {
  const { labels = {}, annotations = {} } = metadata ?? {};
  if (labels["app.kubernetes.io/managed-by"] === "karmada-operator") return "karmada-operator";
  if (labels["app.kubernetes.io/managed-by"] === "Helm" || annotations["meta.helm.sh/release-name"])
    return "the Helm chart";
  return labels["karmada.io/bootstrapping"] === undefined ? "somebody" : "karmadactl init";
}

/** DNS names and addresses in a certificate, without loopback ones. */
function namesOf(pem: string): string[] {
  const entries = (new X509Certificate(pem).subjectAltName ?? "").split(", ");
  const names = entries.flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? []);
  return [...new Set(names)].filter((name) => name !== "localhost" && !name.startsWith("127."));
}

function leadsTo({ spec }: KubeObject, { object }: Workload): boolean {
  const labels = (object["spec"]?.template?.metadata?.labels ?? {}) as Record<string, string>;
  const wanted = Object.entries((spec?.selector ?? {}) as Record<string, string>);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
