import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { parse, stringify } from "yaml";
import { checkKubeconfig } from "../../spec/kubeconfig.ts";
import type { Host } from "../hosts/host.ts";
import { quote } from "../hosts/quote.ts";
import { parseKubeconfig } from "../kube/kubeconfig.ts";

export interface WantedKubeconfig {
  /** Where it may be; the first that is there is taken. */
  readonly paths: readonly string[];
  readonly server?: string;
  readonly context?: string;
  readonly timeoutSeconds: number;
}

export interface FoundKubeconfig {
  /** With one context, and what that needs. */
  readonly kubeconfig: string;
  readonly path: string;
  /** End of its client certificate, RFC 3339. */
  readonly expires?: string;
}

/**
 * Fetches a kubeconfig that works from here: with one context, and the host's address where it names a loopback address.
 *
 * @param address by which the host is reached
 * @throws when there is none, it may not be read, or it would not work; nothing of what was found is in the message
 */
export async function fetchKubeconfig(host: Host, address: string, wanted: WantedKubeconfig): Promise<FoundKubeconfig> {
  const { path, text } = await read(host, wanted);
  const [complaint] = checkKubeconfig(text, wanted.context, new Date());
  if (complaint !== undefined) throw new Error(`${host.label}: ${path}: ${complaint}`);
  const kubeconfig = reduced(text, wanted.context, (server) => wanted.server ?? reachable(server, address));
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

/** Prints the path of the first of some files that is there, then the file, as the user or by sudo; else what came of it. */
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

interface Named {
  readonly name: string;
  readonly [part: string]: unknown;
}

/** One context of a kubeconfig that was found right, with its cluster and user and nothing else. */
function reduced(text: string, wanted: string | undefined, serverOf: (server: string) => string): string {
  const config = parse(text) as Record<"clusters" | "users" | "contexts", readonly Named[]> & {
    readonly "current-context"?: string;
  };
  const name = wanted ?? config["current-context"];
  const context = config.contexts.find((each) => each.name === name)!;
  const { cluster: clusterName, user } = context["context"] as { readonly cluster: string; readonly user: string };
  const found = config.clusters.find((each) => each.name === clusterName)!;
  const cluster = found["cluster"] as { readonly server: string };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [context],
    clusters: [{ ...found, cluster: { ...cluster, server: serverOf(cluster.server) } }],
    users: config.users.filter((each) => each.name === user),
  });
}

/** With the host's address in the place of one that means the host itself. */
function reachable(server: string, address: string): string {
  const url = new URL(server);
  if (!/^(localhost|127\.[0-9.]+|\[::1?\]|0\.0\.0\.0)$/.test(url.hostname)) return server;
  url.hostname = isIP(address) === 6 ? `[${address}]` : address;
  return url.href.replace(/\/$/, "");
}
