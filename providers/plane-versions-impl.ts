import { connect } from "../lib/kube/client.ts";
import { appliedVersion } from "../lib/kube/crds.ts";
import { stepProblem } from "../spec/upgrade-path.ts";
import type { Before, Problem } from "./implementation.ts";
import { byNewDeployment, otherPlacement } from "./other-placement.ts";
import type { PlaneVersionsInputs } from "./plane-versions.ts";
import { leavingServers, writesOtherwise } from "./plane-versions/leaving-api-servers.ts";
import { heldMultiClusterServices } from "./plane-versions/multi-cluster-services-held.ts";
import { refusing } from "./refusing.ts";

export const provider = refusing<PlaneVersionsInputs>(
  "versions",
  {
    karmada: "update",
    kubernetes: "update",
    // Recorded without an update of older state.
    etcd: "ignore",
    placement: "ignore",
    multiClusterServices: "ignore",
    allowDowngrade: "ignore",
    encryption: "update",
    encrypting: "ignore",
    encrypted: "ignore",
    told: "ignore",
    servers: "ignore",
    leaving: "ignore",
    karmadaKubeconfig: "ignore",
  },
  async (inputs, before) => [
    ...unreadable(inputs, before),
    ...(await writesOtherwise(inputs, before)),
    ...elsewhere(inputs, before),
    ...placedElsewhere(inputs, before),
    ...(await held(inputs, before)),
    ...(await refusals(inputs, before)),
  ],
  leavingServers,
);

function unreadable(
  { encryption }: Partial<PlaneVersionsInputs>,
  { inputs: then }: Before<PlaneVersionsInputs>,
): Problem[] {
  const isReadable = then?.encryption === undefined || then.encryption === "identity";
  if (isReadable || encryption !== undefined) return [];
  const remedy = `set controlPlane.encryption.provider to "identity" first, run up, then take it out`;
  return [{ property: "encryption", reason: `API servers could not read what is encrypted in etcd\n${remedy}` }];
}

function elsewhere({ etcd }: Partial<PlaneVersionsInputs>, { inputs: then }: Before<PlaneVersionsInputs>): Problem[] {
  const from = then?.etcd;
  if (from === undefined || etcd === undefined || from === etcd) return [];
  const why = {
    managed: "in a managed etcd, which would be deleted with them",
    external: "in an external etcd, and a managed one would begin without them",
  }[from];
  const remedy = `set etcd.kind: ${from} again; ${byNewDeployment}`;
  return [{ property: "etcd", reason: `this Karmada has its data ${why}\n${remedy}` }];
}

/** Before a restore, which looks at the new place only. An external etcd stays where it is. */
function placedElsewhere(
  { placement }: Partial<PlaneVersionsInputs>,
  { inputs: then }: Before<PlaneVersionsInputs>,
): Problem[] {
  const reason = then?.etcd === "managed" ? otherPlacement(then.placement, placement) : undefined;
  return reason === undefined ? [] : [{ property: "placement", reason }];
}

async function held(
  { multiClusterServices, karmadaKubeconfig }: Partial<PlaneVersionsInputs>,
  { inputs: then }: Before<PlaneVersionsInputs>,
): Promise<Problem[]> {
  if (then?.multiClusterServices !== true || multiClusterServices !== false) return [];
  const services = karmadaKubeconfig === undefined ? [] : await heldMultiClusterServices(karmadaKubeconfig);
  if (services.length === 0) return [];
  const why = "karmada-controller-manager without the feature gate MultiClusterService never lets go of what it holds";
  const remedy = "set the gate to true again, take the addons with them away and run up, then take the gate away";
  const reason = `${why}: MultiClusterService ${services.join(", ")}\n${remedy}`;
  return [{ property: "multiClusterServices", reason }];
}

const written = { karmada: "Karmada's definitions", kubernetes: "kube-apiserver" } as const;

async function refusals(
  inputs: Partial<PlaneVersionsInputs>,
  { inputs: then }: Before<PlaneVersionsInputs>,
): Promise<Problem[]> {
  const steps = (["karmada", "kubernetes"] as const).flatMap((publisher) => {
    const [from, to] = [then?.[publisher], inputs[publisher]];
    return from === undefined || to === undefined || from === to ? [] : [{ publisher, from, to }];
  });
  if (steps.length === 0 || inputs.allowDowngrade === true) return [];
  const there = await live(inputs.karmadaKubeconfig);
  return steps.flatMap(({ publisher, from, to }) => {
    const runs = there[publisher] ?? from;
    const problem = stepProblem({ from: runs, to });
    if (problem === undefined) return [];
    const remedy = `go by way of what is between, stay at ${runs}, or mean it with versions.allowDowngrade: true`;
    return [{ property: publisher, reason: `${written[publisher]} ${to}: ${problem}\n${remedy}` }];
  });
}

type Live = { readonly [K in keyof typeof written]?: string | undefined };

async function live(kubeconfig: string | undefined): Promise<Live> {
  if (kubeconfig === undefined) return {};
  try {
    const plane = await connect(kubeconfig);
    const [{ gitVersion }, karmada] = await Promise.all([
      plane.get<{ gitVersion: string }>("/version", { timeout: 5000 }),
      appliedVersion(plane, { timeout: 5000 }),
    ]);
    return { kubernetes: gitVersion.replace(/^v/, ""), karmada };
  } catch {
    return {};
  }
}
