import { isUp, planeNow } from "../../../cli/stack/plane-now.ts";
import type { Outputs } from "../../../cli/stack/members-now.ts";
import { connectAlone } from "../../../lib/kube/client.ts";
import { eventually } from "./kubectl.ts";

/** Waits until `npm run status` shows every program of a control plane as one that runs. @returns their leaders, by program */
export async function everyProgramRuns({
  kubeconfig,
  programs,
}: Pick<Outputs, "kubeconfig" | "programs">): Promise<Record<string, string | undefined>> {
  const plane = await connectAlone(kubeconfig);
  try {
    const found = await eventually(
      () => planeNow(plane, { programs: programs! }),
      (now) => now.every(isUp),
      30,
    );
    return Object.fromEntries(found.map(({ name, leader }) => [name, leader]));
  } finally {
    plane.close();
  }
}
