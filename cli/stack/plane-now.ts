import { formerPrograms } from "../../components/plane-programs.ts";
import type { KubeClient } from "../../lib/kube/client.ts";
import { type ProgramStatus, readPrograms } from "../../lib/plane/status.ts";
import type { Outputs } from "./members-now.ts";

/** The programs of a stack's own control plane; none of another's, whose stack shows them. Never throws. */
export async function planeNow(
  plane: KubeClient,
  { programs, versions = {}, deployment }: Partial<Outputs>,
): Promise<readonly ProgramStatus[]> {
  if (deployment !== undefined) return [];
  return readPrograms(plane, programs ?? formerPrograms(versions));
}

export const isUp = ({ state }: ProgramStatus): boolean => state === "Running" || state === "Unobserved";
