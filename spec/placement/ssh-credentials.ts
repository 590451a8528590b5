import { z } from "zod";
import { text, words } from "../field.ts";
import type { Problem } from "../problems.ts";
import { reached, server } from "../values/address.ts";
import { common, hostKey, loginOf, loginProblem, type SshLogin } from "./hosts.ts";

/**
 * Where distributions keep the kubeconfig of their administrator.
 * https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/create-cluster-kubeadm/,
 * https://docs.k3s.io/cluster-access, https://docs.rke2.io/cluster_access
 */
const paths = {
  kubeadm: "/etc/kubernetes/admin.conf",
  k3s: "/etc/rancher/k3s/k3s.yaml",
  rke2: "/etc/rancher/rke2/rke2.yaml",
} as const;

const distributions = Object.keys(paths) as (keyof typeof paths)[];

/** A kubeconfig that lies on a host of the cluster. */
export const sshCredentials = z.strictObject({
  kind: z
    .literal("ssh")
    .describe("A kubeconfig on a host of the cluster, fetched over SSH by this program; nothing is written there."),
  address: reached.describe("IP address or DNS name of the host."),
  hostKey,
  ...common,
  distribution: z
    .enum(distributions as [keyof typeof paths, ...(keyof typeof paths)[]])
    .optional()
    .describe(
      `What the cluster was made with: ${distributions.map((each) => `${each} has it at \`${paths[each]}\``).join(", ")}. Default: the first of these that is there.`,
    ),
  path: text(/^\//, 'an absolute path such as "/etc/kubernetes/admin.conf"')
    .optional()
    .describe(
      "Its path on the host, where it is another one. The user, or root by sudo without a password, can read it.",
    ),
  server: server("https://10.0.0.11:6443", { end: "\\/?" })
    .optional()
    .describe(
      "API server of the cluster as the control plane reaches it. Default: as the kubeconfig says, with the address of the host in the place of a loopback address. Required for Pull.",
    ),
  context: words("the name of a context").optional().describe("Context to use. Default: the current one."),
});

type Typed = z.output<typeof sshCredentials>;

/** How to reach a kubeconfig on a host, everything filled in. */
export interface SshCredentials {
  readonly kind: "ssh";
  readonly login: SshLogin & { readonly through: readonly SshLogin[] };
  /** Where it may be; the first that exists is taken. */
  readonly paths: readonly string[];
  readonly server?: string;
  readonly context?: string;
}

/** Finds impossible logins and contradictions. @param path of the credentials */
export function checkSshCredentials(path: Problem["path"], typed: Typed): Problem[] {
  const wrong = loginProblem(typed, "");
  const jumps = (typed.through ?? []).flatMap((jump, i) => {
    const message = loginProblem({ ...typed, ...jump }, "");
    return message === undefined ? [] : [{ path: [...path, "through", i], message }];
  });
  return [
    ...(wrong === undefined ? jumps : [{ path: [...path], message: wrong }]),
    ...(typed.distribution !== undefined && typed.path !== undefined
      ? [{ path: [...path, "path"], message: "got both this and distribution, want one of them" }]
      : []),
  ];
}

export function resolveSshCredentials(typed: Typed): SshCredentials {
  const { kind, address, distribution, path, server, context, ...login } = typed;
  return {
    kind,
    login: loginOf(address, login, {}) as unknown as SshCredentials["login"],
    paths: path === undefined ? (distribution === undefined ? Object.values(paths) : [paths[distribution]]) : [path],
    ...(server !== undefined && { server: server.replace(/\/$/, "") }),
    ...(context !== undefined && { context }),
  };
}
