import type { Problem } from "../problems.ts";
import type { TypedMember } from "./members.ts";

/** How a member is joined, and why. */
export interface ChosenMode {
  readonly syncMode: "Push" | "Pull";
  readonly modeReason: string;
  /** Whether it follows from declared networks, which may differ from reality. */
  readonly fromNetworks: boolean;
}

/**
 * What `auto` means: Push if control plane and member share an internal network, Pull if the path between them leads
 * over the internet or out of a private cloud, since then only the member can be sure to reach the other side.
 */
export function chosenMode(
  { syncMode, networks, credentials }: Pick<TypedMember, "syncMode" | "networks" | "credentials">,
  planeNetworks: readonly string[],
): ChosenMode {
  if (syncMode !== "auto") return { syncMode, modeReason: "the stack file says so", fromNetworks: false };
  if (credentials.kind === "simulated")
    return { syncMode: "Push", modeReason: "it runs beside the control plane", fromNetworks: false };
  const common = networks.filter((network) => planeNetworks.includes(network));
  if (common.length > 0) {
    const modeReason = `both are in the network ${common.join(" and in ")}`;
    return { syncMode: "Push", modeReason, fromNetworks: true };
  }
  return {
    syncMode: "Pull",
    modeReason: `it is in ${networks.join(", ")}, the control plane in ${planeNetworks.join(", ")}: no network in common`,
    fromNetworks: true,
  };
}

/**
 * Finds members whose mode depends on undeclared networks, and agents whose member's endpoint would be unknown.
 * @param unknown says where the networks of the control plane would have to be declared
 */
export function checkModes(
  members: readonly TypedMember[],
  planeNetworks: readonly string[],
  unknown: (wanted: string) => Problem,
): Problem[] {
  return [...checkNetworks(members, planeNetworks, unknown), ...checkServers(members, planeNetworks)];
}

/** An agent is told the member's endpoint before anything is fetched. */
function checkServers(members: readonly TypedMember[], networks: readonly string[]): Problem[] {
  return members.flatMap((member, i) => {
    const { credentials } = member;
    if (credentials.kind !== "ssh" || credentials.server !== undefined) return [];
    const { syncMode } = chosenMode(member, networks);
    if (syncMode === "Push") return [];
    const message = "missing, want the address of the API server in Pull mode: its agent is told it from the start";
    return [{ path: ["members", i, "credentials", "server"], message }];
  });
}

function checkNetworks(
  members: readonly TypedMember[],
  planeNetworks: readonly string[],
  unknown: (wanted: string) => Problem,
): Problem[] {
  const asking = members.flatMap(({ name, syncMode, credentials, networks }, i) =>
    syncMode === "auto" && credentials.kind !== "simulated" ? [{ i, name, networks }] : [],
  );
  const [first] = asking;
  if (first === undefined) return [];
  const wanted = (of: string) => `want the internal networks of ${of}: syncMode "auto"`;
  return [
    ...(planeNetworks.length > 0 ? [] : [unknown(`${wanted("the control plane")} of ${first.name} follows from them`)]),
    ...asking
      .filter(({ networks }) => networks.length === 0)
      .map(({ i }) => ({
        path: ["members", i, "networks"],
        message: `missing, ${wanted("the cluster")} follows from them`,
      })),
  ];
}
