import * as pulumi from "@pulumi/pulumi";
import type { SshHostAddress } from "../lib/hosts/address.ts";
import { FetchedKubeconfig } from "../providers/fetched-kubeconfig.ts";
import type { MemberSettings } from "./member.ts";

/** Fetches the kubeconfig of a member from one of its hosts. */
export function fetchKubeconfig(
  name: string,
  cluster: string,
  { login, paths, server, context }: Extract<MemberSettings["credentials"], { kind: "ssh" }>,
  opts: pulumi.CustomResourceOptions,
): FetchedKubeconfig {
  return new FetchedKubeconfig(
    name,
    {
      cluster,
      host: pulumi.output({ kind: "ssh", name: cluster, ...login }) as pulumi.Output<SshHostAddress>,
      paths: [...paths],
      ...(server !== undefined && { server }),
      ...(context !== undefined && { context }),
      timeoutSeconds: 60,
    },
    opts,
  );
}
