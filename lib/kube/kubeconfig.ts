import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { authorityIn, certificateProblem } from "../../spec/pki/pem.ts";

/** What a kubeconfig's current context says about how to reach a server. */
export interface Connection {
  /** For instance `https://10.0.0.7:6443`, without a slash at the end. */
  readonly server: string;
  /** PEM. */
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly token?: string;
  /** The file the token is read from, as it may be renewed there. */
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly insecureSkipTlsVerify: boolean;
  /** The name to expect in the server's certificate, when it is not the host in `server`. */
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  /** The user logs in through a program or an auth provider: only the vendor's library knows how. */
  readonly login: boolean;
  /** Further cluster configuration for such a program. */
  readonly execConfig?: unknown;
}

/** Reads the current context. The error says what is wrong with the kubeconfig and never quotes it. */
export function parseKubeconfig(text: string): Connection {
  const config = asObject(parseYaml(text));
  if (config === undefined) throw new Error("kubeconfig: does not parse as YAML or JSON with a mapping at the top");
  const contextName = config["current-context"];
  const contexts = names(config, "contexts");
  if (typeof contextName !== "string" || contextName === "") {
    throw new Error(
      `kubeconfig: has no current-context, want one of ${contexts.join(", ") || "its contexts (it has none)"}`,
    );
  }
  const context = named(config, "contexts", "context", contextName);
  if (context === undefined) {
    throw new Error(
      `kubeconfig: current-context is "${contextName}", which it has not; it has ${contexts.join(", ") || "none"}`,
    );
  }
  const cluster = named(config, "clusters", "cluster", context.cluster);
  if (cluster === undefined) throw new Error(`kubeconfig: context "${contextName}" names a cluster it has not`);
  const user = named(config, "users", "user", context.user);
  if (user === undefined) throw new Error(`kubeconfig: context "${contextName}" names a user it has not`);
  return connection(cluster, user);
}

/** All problems of a kubeconfig that can be found without asking its server. */
export function kubeconfigProblems(text: string): string[] {
  try {
    const { server, certificate, ca } = parseKubeconfig(text);
    return [
      ...endpointProblems(server),
      ...certificateProblems("client", certificate),
      ...certificateProblems("authority", ca, authorityIn),
    ];
  } catch (error) {
    return [(error as Error).message];
  }
}

type Fields = Record<string, unknown>;

function connection(cluster: Fields, user: Fields): Connection {
  const defined = {
    ca: pem(cluster, "certificate-authority"),
    certificate: pem(user, "client-certificate"),
    key: pem(user, "client-key"),
    token: text(user.token) ?? file(user.tokenFile)?.trim(),
    tokenFile: text(user.token) === undefined ? text(user.tokenFile) : undefined,
    username: text(user.username),
    password: text(user.password),
    tlsServerName: text(cluster["tls-server-name"]),
    proxyUrl: text(cluster["proxy-url"]),
    execConfig: named(cluster, "extensions", "extension", "client.authentication.k8s.io/exec"),
  };
  return {
    server: (text(cluster.server) ?? "").replace(/\/+$/, ""),
    insecureSkipTlsVerify: cluster["insecure-skip-tls-verify"] === true,
    login: user.exec !== undefined || user["auth-provider"] !== undefined,
    ...(Object.fromEntries(Object.entries(defined).filter(([, value]) => value !== undefined)) as Partial<Connection>),
  };
}

function endpointProblems(server: string): string[] {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const ok = url !== undefined && ["https:", "http:"].includes(url.protocol);
  return ok ? [] : [`kubeconfig: server is "${server}", want https://host:port`];
}

function certificateProblems(whose: string, pem: string | undefined, read?: typeof authorityIn): string[] {
  const problem = pem === undefined ? undefined : certificateProblem(pem, read);
  return problem === undefined ? [] : [`kubeconfig: its ${whose} certificate ${problem}`];
}

function parseYaml(value: string): unknown {
  try {
    return parse(value);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function list(config: Fields, section: string): Fields[] {
  const entries = config[section];
  return Array.isArray(entries) ? entries.map(asObject).filter((entry) => entry !== undefined) : [];
}

const names = (config: Fields, section: string) => list(config, section).map((entry) => String(entry.name));

function named(config: Fields, section: string, kind: string, name: unknown): Fields | undefined {
  const entry = list(config, section).find((each) => each.name === name);
  return entry && (asObject(entry[kind]) ?? {});
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

/** A PEM text given as base64 (`<field>-data`) or by the path of its file. */
function pem(fields: Fields, field: string): string | undefined {
  const data = text(fields[`${field}-data`]);
  return data === undefined ? file(fields[field]) : Buffer.from(data, "base64").toString();
}

function file(path: unknown): string | undefined {
  return typeof path === "string" && path !== "" ? readFileSync(path, "utf8") : undefined;
}
