import type { Sections } from "../deployment.ts";
import type { Problem } from "../problems.ts";
import type { TypedMember } from "./members.ts";
import { chosenMode } from "./sync-mode.ts";
import type { TeamMember } from "./teams.ts";

type Checked = Pick<Sections, "members" | "controlPlane">;

/**
 * Finds members whose programs would be one service on hosts: names of services begin with `karmada-`, which is put in front of
 * what does not (lib/hosts/layout.ts).
 * @param served members of teams
 */
export function checkMemberServices(checked: Checked, served: readonly TeamMember[]): Problem[] {
  return Object.entries(memberPrograms(checked, served)).flatMap(([program, owners]) => {
    const names = owners.map(({ name }) => name);
    return names
      .filter((name) => !name.startsWith(prefix) && names.includes(`${prefix}${name}`))
      .map((name) => {
        const longer = `${prefix}${name}`;
        const typed = [longer, name].map((each) => checked.members.findIndex((member) => member.name === each));
        const place = typed.find((i) => i >= 0);
        return {
          path: place === undefined ? ["teams"] : ["members", place, "name"],
          message: `got "${longer}" beside "${name}", want another name for one of them: on hosts the ${program} of either would be the service ${longer}-${program}`,
        };
      });
  });
}

/** Whom each program that serves one member serves beside the control plane. @param served members of teams */
export const memberPrograms = ({ members, controlPlane }: Checked, served: readonly TeamMember[]) => ({
  "karmada-scheduler-estimator": controlPlane["karmada-scheduler-estimator"].enabled
    ? [...members, ...served.filter(({ estimator }) => estimator !== undefined)]
    : [],
  "karmada-agent": members.filter((member) => hasAgentBeside(member, controlPlane.networks)),
});

const prefix = "karmada-";

/** Whether its agent runs beside the control plane. */
const hasAgentBeside = (member: TypedMember, networks: readonly string[]): boolean =>
  member.agent?.kind !== "inMember" && chosenMode(member, networks).syncMode === "Pull";
