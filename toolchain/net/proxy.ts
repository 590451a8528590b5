import { BlockList, isIP } from "node:net";

/** A proxy that the environment names. */
export interface Proxy {
  /** With the login, if it has one: for connections, not for people. */
  readonly address: string;
  /** For people: where it is, and the variable that names it. */
  readonly title: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an address, from HTTPS_PROXY or HTTP_PROXY and NO_PROXY as curl and Go read them: lower-case variables
 * take precedence, an address without a scheme is http, and a name in NO_PROXY includes its subdomains. This machine itself
 * is reached directly, as Go does (golang.org/x/net/http/httpproxy, `useProxy`).
 * @param schemes of proxies that the caller can go through
 * @returns undefined when it is reached directly
 * @throws when the proxy has another scheme, without its login
 */
export function proxyFor(url: URL, env: Environment, schemes = ["http", "https"]): Proxy | undefined {
  const usual = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const variable = [usual.toLowerCase(), usual].find((name) => env[name]);
  const value = env[variable ?? ""]?.trim();
  if (variable === undefined || !value || isExcluded(url, env["no_proxy"] || env["NO_PROXY"] || "")) return undefined;
  const written = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const proxy = URL.canParse(written) ? new URL(written) : undefined;
  if (proxy !== undefined && schemes.includes(proxy.protocol.replace(/:$/, ""))) {
    return { address: proxy.href, title: `the proxy ${proxy.origin} of ${variable}` };
  }
  const found = proxy === undefined ? "what it says is no address" : `got ${proxy.protocol}//${proxy.host}`;
  throw new Error(`${variable}: ${found}, want the address of an HTTP proxy, such as http://proxy.example.org:3128`);
}

/** Names, with what is below them, addresses and networks of them, each with a port or without; `*` for everything. */
function isExcluded(url: URL, list: string): boolean {
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, "");
  if (isThisMachine(host)) return true;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      const withPort = isIP(entry) === 0 ? /^(.*):(\d+)$/.exec(entry) : null;
      const [, name = entry, itsPort = port] = withPort ?? [entry];
      return itsPort === port && isBelow(host, name.replace(/^\[|\]$/g, ""));
    });
}

const isThisMachine = (host: string) =>
  host === "localhost" || isWithin(host, "127.0.0.0", 8) || isWithin(host, "::1", 128);

function isBelow(host: string, entry: string): boolean {
  const [network = "", bits] = entry.split("/");
  if (isIP(network) !== 0 && /^\d{1,3}$/.test(bits ?? "")) return isWithin(host, network, Number(bits));
  const name = entry.replace(/^\*?\./, "");
  return entry === "*" || host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

function isWithin(host: string, network: string, bits: number): boolean {
  const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
  if (isIP(host) !== isIP(network) || bits > (isIP(network) === 6 ? 128 : 32)) return false;
  const networks = new BlockList();
  networks.addSubnet(network, bits, family(network));
  return networks.check(host, family(host));
}

/**
 * What to add to an environment so that gRPC for Node.js reaches this machine itself directly: it goes through the proxy
 * even there (@grpc/grpc-js, http_proxy.js), and pulumi's engine, language host and plugins talk to each other in that way.
 * @returns nothing where no proxy is named
 */
export function directToThisMachine(env: Environment): Record<string, string> {
  if (!["grpc_proxy", "https_proxy", "http_proxy"].some((name) => env[name])) return {};
  const names = env["no_grpc_proxy"] ? ["no_grpc_proxy", "no_proxy"] : ["no_proxy"];
  return Object.fromEntries(
    names.map((name) => {
      const given = env[name] || env[name.toUpperCase()];
      // The library takes the entries as they are, with a space before them too: these come first.
      return [name, ["127.0.0.1", "localhost", "::1", ...(given ? [given] : [])].join(",")];
    }),
  );
}
