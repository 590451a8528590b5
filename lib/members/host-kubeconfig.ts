import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { checkKubeconfig } from "../../spec/kubeconfig.ts";
import type { Host } from "../hosts/host.ts";
import { quote } from "../hosts/quote.ts";
import { parseKubeconfig } from "../kube/kubeconfig.ts";
import { oneContext } from "../kube/one-context.ts";

export interface WantedKubeconfig {
  /** Where it may be; the first that exists is taken. */
  readonly paths: readonly string[];
  readonly server?: string;
  readonly context?: string;
  readonly timeoutSeconds: number;
}

export interface FoundKubeconfig {
  /** Reduced to one context and what that needs. */
  readonly kubeconfig: string;
  readonly path: string;
  /** Expiry of its client certificate, RFC 3339. */
  readonly expires?: string;
}

/**
 * Fetches a kubeconfig that works from here: reduced to one context, with the host's address in place of a loopback
 * one.
 *
 * @param address by which the host is reached
 * @throws when there is none, it may not be read, or it would not work; the message quotes nothing of it
 */
export async function fetchKubeconfig(host: Host, address: string, wanted: WantedKubeconfig): Promise<FoundKubeconfig> {
  const { path, text } = await read(host, wanted);
  const [complaint] = checkKubeconfig(text, wanted.context, new Date());
  if (complaint !== undefined) throw new Error(`${host.label}: ${path}: ${complaint}`);
  const kubeconfig = oneContext(text, wanted.context, (cluster) => ({
    ...cluster,
    server: wanted.server ?? reachable(cluster.server, address),
  }));
  const { certificate, login } = parseKubeconfig(kubeconfig);
  if (login)
    throw new Error(
      `${host.label}: ${path}: its user logs in by another program (exec or auth-provider), and what a host names is not run here\nname a kubeconfig with a certificate or a token by credentials.path`,
    );
  const end = certificate === undefined ? undefined : new X509Certificate(certificate).validToDate.toISOString();
  return { kubeconfig, path, ...(end !== undefined && { expires: end }) };
}

async function read(host: Host, { paths, timeoutSeconds }: WantedKubeconfig): Promise<{ path: string; text: string }> {
  const said = await host.run("fetching a kubeconfig", script(paths), { seconds: timeoutSeconds, root: false });
  const [answer = "", ...lines] = said.split("\n");
  const places = paths.length === 1 ? paths[0]! : `any of ${paths.join(", ")}`;
  switch (answer) {
    case "absent":
      throw new Error(
        `${host.label}: there is no kubeconfig at ${places}\nsay where it is by credentials.path, or log in to a host that has it: one of the control plane`,
      );
    case "denied":
      throw new Error(
        `${host.label}: its user can read no kubeconfig at ${places}, and sudo asks for a password\nlog in as root, as a user who can read it, or let it be read by sudo without a password`,
      );
    default:
      return { path: answer, text: lines.join("\n") };
  }
}

/**
 * Prints the path of the first of some files that exists, then the file, read as the user or through sudo; else the
 * reason.
 */
const script = (paths: readonly string[]): string => `
hand_over() { echo "$1"; $2 head -c ${mostBytes} "$1"; exit 0; }
for path in ${paths.map(quote).join(" ")}; do
  if [ -f "$path" ] && [ -r "$path" ]; then hand_over "$path" ''; fi
done
if [ "$(id -u)" != 0 ]; then
  if ! sudo -n true >/dev/null 2>&1; then echo denied; exit 0; fi
  for path in ${paths.map(quote).join(" ")}; do
    if sudo -n test -f "$path"; then hand_over "$path" 'sudo -n'; fi
  done
fi
echo absent`;

/** Far more than any kubeconfig has. */
const mostBytes = 1024 * 1024;

/** Replaces an address that means the host itself with the host's address. */
function reachable(server: string, address: string): string {
  const url = new URL(server);
  if (!/^(localhost|127\.[0-9.]+|\[::1?\]|0\.0\.0\.0)$/.test(url.hostname)) return server;
  url.hostname = isIP(address) === 6 ? `[${address}]` : address;
  return url.href.replace(/\/$/, "");
}
