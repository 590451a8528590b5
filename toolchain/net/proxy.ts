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
 * take precedence, an address without a scheme is http, and a name in NO_PROXY includes its subdomains.
 * @returns undefined when it is reached directly
 * @throws when the proxy is none that HTTP goes through, without its login
 */
export function proxyFor(url: URL, env: Environment): Proxy | undefined {
  const usual = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const variable = [usual.toLowerCase(), usual].find((name) => env[name]);
  const value = env[variable ?? ""]?.trim();
  if (variable === undefined || !value || isExcluded(url, env["no_proxy"] || env["NO_PROXY"] || "")) return undefined;
  const written = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const proxy = URL.canParse(written) ? new URL(written) : undefined;
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") {
    return { address: proxy.href, title: `the proxy ${proxy.origin} of ${variable}` };
  }
  const found = proxy === undefined ? "what it says is no address" : `got ${proxy.protocol}//${proxy.host}`;
  throw new Error(`${variable}: ${found}, want the address of an HTTP proxy, such as http://proxy.example.org:3128`);
}

/** Names, with what is below them, addresses and networks of them, each with a port or without; `*` for everything. */
function isExcluded(url: URL, list: string): boolean {
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, "");
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
