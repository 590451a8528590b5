import { connect, type KubeClient } from "../lib/kube/client.ts";
import { describeMissing, lookAtRollout, type Missing } from "../lib/members/rollout.ts";
import { podsTrouble } from "../lib/members/pods-trouble.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../lib/wait.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { RolloutInputs, RolloutOutputs } from "./rollout.ts";

export const provider = implement<RolloutInputs, RolloutOutputs>({
  inputs: {
    title: "replace",
    policy: "update",
    objects: "update",
    revision: "update",
    members: "update",
    karmadaKubeconfig: "ignore",
    timeoutSeconds: "ignore",
  },
  id: ({ title }) => title,
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig"]),
  create: arrive,
  update: arrive,
  delete: () => Promise.resolve(),
});

/**
 * How long a good look has to last if Karmada does not tell which version of an object a member has: it reports a
 * changed ConfigMap as written even while that refers to the previous version.
 */
const settleMilliseconds = 2000;

async function arrive(inputs: RolloutInputs): Promise<RolloutOutputs> {
  const { title, timeoutSeconds } = inputs;
  const plane = await connect(inputs.karmadaKubeconfig);
  let missing: readonly Missing[] = [];
  let good: number | undefined;
  const attempt = async () => {
    const now = await lookAtRollout(plane, inputs);
    missing = now.missing;
    if (missing.length > 0) {
      good = undefined;
      return new Pending(missing.map(describeMissing).join("; "));
    }
    good ??= performance.now();
    if (now.exact || performance.now() - good >= settleMilliseconds) return now;
    return new Pending("it was there only in the last moment");
  };
  const now = await waitFor("its objects in the members", deadlineIn(timeoutSeconds), attempt).catch(
    async (error: unknown) => {
      const lines = [`${title}: ${messageOf(error)}`, ...(await troubles(plane, missing)), advice];
      throw new Error(lines.join("\n"), { cause: error });
    },
  );
  if (now.leftOut.length > 0)
    console.warn(`${title}: not waited for in ${now.leftOut.join("; ")}: Karmada brings it there as soon as it can`);
  return { reached: now.members, leftOut: now.leftOut };
}

const advice =
  'mend it, then run up again; an object with the annotation pulumi.com/skipAwait: "true" has only to be there, and with wait: false none is waited for';

/** What the pods of those that are not ready report, as far as members let us ask. */
const troubles = async (plane: KubeClient, missing: readonly Missing[]): Promise<string[]> =>
  (await Promise.all(missing.slice(0, 5).map((each) => podsTrouble(plane, each)))).filter((each) => each !== undefined);
