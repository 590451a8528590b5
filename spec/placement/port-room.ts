import type { Sections } from "../deployment.ts";
import { overridesIn } from "../etcd/overrides.ts";
import { memberPrograms } from "../members/services.ts";
import type { TeamMember } from "../members/teams.ts";
import type { Problem } from "../problems.ts";
import { chosenHost } from "./chosen-host.ts";
import { hostsOf, type TypedHosts } from "./hosts.ts";
import { hashedPorts, portsOfServing, portsOfSimulated } from "./ports.ts";

type Checked = Pick<Sections, "members" | "controlPlane"> & { readonly etcd?: Sections["etcd"] | undefined };

/** Finds more programs on this machine than there are port numbers for. @param served members of teams */
export function checkLocalPorts({ etcd, ...checked }: Checked, served: readonly TeamMember[]): Problem[] {
  const simulated = checked.members.filter(({ credentials }) => credentials.kind === "simulated");
  const etcds = etcd === undefined ? [] : overridesIn(etcd);
  const wanted =
    serving(checked, served).reduce((sum, { ports }) => sum + ports, 0) +
    simulated.length * portsOfSimulated +
    etcds.reduce((sum, { members }) => sum + 3 * members, 0);
  if (wanted <= hashedPorts) return [];
  const way = "join more of them with syncMode: Push, place the deployment on hosts, or have fewer members";
  return [problem(wanted, "this machine", `${each}, a simulated cluster ${portsOfSimulated}: ${way}`)];
}

/** Finds hosts with more programs than there are port numbers for on each. @param served members of teams */
export function checkPortsOfHosts(placement: TypedHosts, checked: Checked, served: readonly TeamMember[]): Problem[] {
  const wanted = Map.groupBy(serving(checked, served), ({ program, process }) =>
    chosenHost(process, hostsOf(placement, program)),
  );
  const way =
    "have agents run in their members (agent.kind: inMember), or more hosts run these programs (placement.components)";
  return [...wanted].flatMap(([host, programs]) => {
    const sum = programs.reduce((sum, { ports }) => sum + ports, 0);
    return host === undefined || sum <= hashedPorts ? [] : [problem(sum, host, `${each}: ${way}`)];
  });
}

/** The programs that serve a member each, and how many ports they have. */
const serving = (checked: Checked, served: readonly TeamMember[]) =>
  Object.entries(memberPrograms(checked, served)).flatMap(([program, owners]) =>
    owners.map(({ name }) => ({ program, process: `${name}-${program}`, ports: numberOf(program) })),
  );

const numberOf = (program: string): number => portsOfServing[program as keyof typeof portsOfServing].length;

const each = `an agent beside the control plane takes ${numberOf("karmada-agent")}, an estimator ${numberOf("karmada-scheduler-estimator")}`;

const problem = (got: number, where: string, what: string): Problem => ({
  path: ["members"],
  message: `got programs with ${got} ports on ${where}, want at most ${hashedPorts}; ${what}`,
});
