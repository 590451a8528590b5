import type * as pulumi from "@pulumi/pulumi";
import type { Placement } from "../components/placement.ts";
import { hostsPlacement, type OnHosts } from "../components/placement/hosts.ts";
import { type InPods, kubernetesPlacement } from "../components/placement/kubernetes.ts";
import { localPlacement } from "../components/placement/local.ts";
import type { Placement as Settings } from "../spec/deployment.ts";

/** A whole deployment, or an etcd by itself. */
type Placed = (Omit<OnHosts, "placement"> & Omit<InPods, "placement">) & {
  readonly placement: Settings<pulumi.Output<string>>;
};

/** Where the programs of a deployment run. */
export function placementOf(deployment: Placed): Placement | Promise<Placement> {
  const { placement } = deployment;
  switch (placement.kind) {
    case "local":
      return localPlacement({ ...deployment, placement });
    case "hosts":
      return hostsPlacement({ ...deployment, placement } as OnHosts);
    case "kubernetes":
      return kubernetesPlacement({ ...deployment, placement } as InPods);
  }
}
