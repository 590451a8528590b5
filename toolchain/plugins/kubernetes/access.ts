/** From a kubeconfig to what a connection needs: address, trust and credentials. */
import { existsSync, readFileSync } from "node:fs";
import { ExecAuth } from "@kubernetes/client-node/dist/exec_auth.js";
import { withoutLogin } from "../../net/login.ts";
import { proxyFor } from "../../net/proxy.ts";
import { activeCluster, activeContext } from "./kubeconfig.ts";
import type { Entry, Kubeconfig, Overrides } from "./kubeconfig.ts";

/** How to reach an API server. */
export interface Access {
  /** `https://10.0.0.1:6443`, without a slash at the end. */
  readonly server: string;
  readonly tls: Tls;
  /** Address of the HTTP proxy to go through: the kubeconfig's, else the environment's. @default none */
  readonly proxy: string | undefined;
  /** Headers that authenticate, read for every request: tokens are renewed. */
  headers(): Promise<Headers>;
}
/** Several values are a header each. */
type Headers = Record<string, string | string[]>;
export interface Tls {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Throws what client-go says when the kubeconfig does not name a usable cluster. */
export async function accessOf(kubeconfig: Kubeconfig, overrides: Overrides): Promise<Access> {
  const context = activeContext(kubeconfig, overrides);
  const named = overrides.context || kubeconfig.currentContext;
  if (!context && named)
    throw new Error(`invalid configuration: context was not found for specified context: ${named}`);
  const cluster = activeCluster(kubeconfig, overrides);
  if (!context || !cluster) return inCluster();
  const server = text(cluster, "server").replace(/\/+$/, "");
  if (!server) throw new Error(`invalid configuration: no server found for cluster ${JSON.stringify(context.cluster)}`);
  const user = kubeconfig.users[context.user] ?? {};
  const impersonation = impersonate(context.user, user);
  const exec = user["exec"] === undefined ? {} : await execCredentials(context.user, user);
  return {
    server,
    proxy: proxyOf(cluster) ?? environmentProxy(server),
    tls: compact({ ...serverTrust(cluster), ...clientCertificate(user), ...exec.tls }),
    headers: async () => ({ ...userHeaders(user), ...impersonation, ...(await exec.headers?.()) }),
  };
}

function proxyOf(cluster: Entry): string | undefined {
  const url = text(cluster, "proxy-url");
  if (!url) return undefined;
  const isAddress = URL.canParse(url);
  const scheme = isAddress ? new URL(url).protocol : "";
  if (scheme !== "http:" && scheme !== "https:") {
    const found = isAddress ? `got ${JSON.stringify(withoutLogin(url))}` : "what it says is no address";
    throw new Error(
      `invalid configuration: proxy-url: ${found}, want http:// or https://\n` +
        "for a SOCKS proxy use the official plugin (pulumi plugin install)",
    );
  }
  // https://nodejs.org/api/http.html#new-agentoptions
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)) return url;
  throw new Error(`proxy-url: Node.js ${process.version} cannot go through a proxy, use 24.5 or later`);
}

/** As client-go, by `http.ProxyFromEnvironment`. */
const environmentProxy = (server: string): string | undefined =>
  URL.canParse(server) ? proxyFor(new URL(server), process.env)?.address : undefined;

function serverTrust(cluster: Entry): Loose {
  return {
    ca: data(cluster, "certificate-authority"),
    servername: text(cluster, "tls-server-name") || undefined,
    rejectUnauthorized: cluster["insecure-skip-tls-verify"] === true ? false : undefined,
  };
}

function clientCertificate(user: Entry): Loose {
  return { cert: data(user, "client-certificate"), key: data(user, "client-key") };
}

function userHeaders(user: Entry): Record<string, string> {
  const headers: Record<string, string> = {};
  const tokenFile = text(user, "tokenFile");
  const token = tokenFile && existsSync(tokenFile) ? readFileSync(tokenFile, "utf8").trim() : text(user, "token");
  if (token) headers["Authorization"] = `Bearer ${token}`;
  else if (text(user, "username")) {
    const credentials = `${text(user, "username")}:${text(user, "password")}`;
    headers["Authorization"] = `Basic ${Buffer.from(credentials).toString("base64")}`;
  }
  return headers;
}

/**
 * Whom the user acts for. https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 * @throws as client-go when only groups or the like are named
 */
function impersonate(name: string, user: Entry): Headers {
  const [as, uid] = [text(user, "as"), text(user, "as-uid")];
  const groups = texts(user["as-groups"]);
  const extra = Object.entries((user["as-user-extra"] ?? {}) as Entry);
  if (!as && (uid || groups.length > 0 || extra.length > 0)) {
    throw new Error(
      `invalid configuration: requesting uid, groups or user-extra for ${name} without impersonating a user`,
    );
  }
  return {
    ...(as && { "Impersonate-User": as }),
    ...(uid && { "Impersonate-Uid": uid }),
    ...(groups.length > 0 && { "Impersonate-Group": groups }),
    ...Object.fromEntries(extra.map(([key, values]) => [`Impersonate-Extra-${escapeHeaderKey(key)}`, texts(values)])),
  };
}

/** What a header's name cannot have is percent-encoded, a percent sign too. https://www.rfc-editor.org/rfc/rfc9110#name-tokens */
const escapeHeaderKey = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[!#$&'*+.^_`|~\w-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

/** https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins */
async function execCredentials(
  name: string,
  user: Entry,
): Promise<{ tls?: Loose; headers?: () => Promise<Record<string, string>> }> {
  const exec = new ExecAuth();
  const ask = async () => {
    const options: Loose & { headers?: Record<string, string> } = {};
    await exec.applyAuthentication({ ...user, name } as never, options as never);
    return options;
  };
  const first = await ask();
  return { tls: { cert: first.cert, key: first.key }, headers: async () => (await ask()).headers ?? {} };
}

/** The service account of the pod this runs in, when it runs in one. */
function inCluster(): Access {
  const directory = "/var/run/secrets/kubernetes.io/serviceaccount";
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  if (!host || !port || !existsSync(`${directory}/token`)) {
    throw new Error(
      "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable",
    );
  }
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return {
    server,
    tls: { ca: readFileSync(`${directory}/ca.crt`) },
    proxy: environmentProxy(server),
    headers: async () => ({ Authorization: `Bearer ${readFileSync(`${directory}/token`, "utf8").trim()}` }),
  };
}

type Loose = { [Key in keyof Tls]?: Tls[Key] | undefined };

function compact(tls: Loose): Tls {
  return Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
}

/** Either embedded (`name-data`) or in a file (`name`). */
function data(entry: Entry, name: string): Buffer | undefined {
  const embedded = text(entry, `${name}-data`);
  if (embedded) return Buffer.from(embedded, "base64");
  const file = text(entry, name);
  return file ? readFileSync(file) : undefined;
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function text(entry: Entry, field: string): string {
  const value = entry[field];
  return typeof value === "string" ? value : "";
}
