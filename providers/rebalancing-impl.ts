import { isDeepStrictEqual } from "node:util";
import { failPoint } from "../lib/fail-point.ts";
import { connect, type KubeClient, type KubeObject } from "../lib/kube/client.ts";
import { unlessGone } from "../lib/kube/error.ts";
import { objectTitle } from "../lib/kube/object-title.ts";
import { reasonToGiveUp } from "../lib/kube/reason-to-give-up.ts";
import { sha256 } from "../lib/sha256.ts";
import { deadlineIn, type Deadline, messageOf, Pending, waitFor } from "../lib/wait.ts";
import { HalfDone, implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { RebalancedWorkload, RebalancingInputs, RebalancingOutputs } from "./rebalancing.ts";

export const provider = implement<RebalancingInputs, RebalancingOutputs>({
  inputs: {
    name: "replace",
    workloads: "update",
    trigger: "update",
    ttlSecondsAfterFinished: "update",
    karmadaKubeconfig: "ignore",
    timeoutSeconds: "ignore",
  },
  deleteBeforeReplace: true,
  id: ({ name }) => name,
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig"]),
  create: rebalance,
  async update(inputs, state) {
    const { finished, rebalanced = [], missing = [] } = state;
    if (finished === undefined || isAskedAgain(inputs, state)) return rebalance(inputs);
    await keepFor(inputs);
    return { finished, rebalanced, missing };
  },
  async delete({ name, karmadaKubeconfig, timeoutSeconds }) {
    const plane = await connect(karmadaKubeconfig);
    const gone = await reasonToGiveUp("the Karmada", plane, Math.min(10, timeoutSeconds));
    if (gone !== undefined) return console.warn(`WorkloadRebalancer ${name}: given up with its Karmada: ${gone}`);
    const found = await plane.find(pathOf(name));
    if (markOf(found) !== undefined) await plane.delete(pathOf(name));
  },
});

const collection = "/apis/apps.karmada.io/v1alpha1/workloadrebalancers";
const pathOf = (name: string): string => `${collection}/${name}`;

/** Notes on the object what it was made for, so that one made by an interrupted run is not made again. */
const annotation = "karmada-pulumi/rebalancing";
const markOf = (object: KubeObject | undefined): string | undefined => object?.metadata?.annotations?.[annotation];

const isAskedAgain = (now: RebalancingInputs, before: RebalancingInputs): boolean =>
  !isDeepStrictEqual(sorted(now.workloads), sorted(before.workloads)) ||
  (now.trigger !== undefined && now.trigger !== before.trigger);

async function rebalance(inputs: RebalancingInputs): Promise<RebalancingOutputs> {
  const plane = await connect(inputs.karmadaKubeconfig);
  const deadline = deadlineIn(inputs.timeoutSeconds);
  await make(plane, inputs, deadline);
  failPoint("rebalancing/made");
  const outputs = await finished(plane, inputs, deadline).catch((error: unknown) => {
    const message = `WorkloadRebalancer ${inputs.name}: ${messageOf(error)}`;
    throw new HalfDone(message, {} as RebalancingOutputs, { cause: error });
  });
  await keepFor(inputs);
  if (outputs.missing.length > 0)
    console.warn(
      `WorkloadRebalancer ${inputs.name}: no policy places ${outputs.missing.join(", ")}, so nothing was scheduled anew; name them as they are in the Karmada API, then give another trigger`,
    );
  return outputs;
}

/**
 * Makes the object, in place of an earlier one, without a lifetime: otherwise Karmada could delete it before its end
 * was seen.
 */
async function make(plane: KubeClient, inputs: RebalancingInputs, deadline: Deadline): Promise<void> {
  const { name, workloads } = inputs;
  const mark = sha256(JSON.stringify([sorted(workloads), inputs.trigger])).slice(0, 16);
  const found = await plane.find(pathOf(name));
  if (markOf(found) === mark) return;
  if (found !== undefined && markOf(found) === undefined)
    throw new Error(
      `WorkloadRebalancer ${name}: there is one of that name that was not declared here\ngive this one another name, or delete that one: it has done its work`,
    );
  if (found !== undefined) await plane.delete(pathOf(name), { preconditions: { uid: found.metadata?.uid } });
  await waitFor(`the previous WorkloadRebalancer ${name} to be gone`, deadline, async () =>
    (await plane.find(pathOf(name))) === undefined ? true : new Pending("it is still there"),
  );
  await plane.create(collection, {
    apiVersion: "apps.karmada.io/v1alpha1",
    kind: "WorkloadRebalancer",
    metadata: { name, annotations: { [annotation]: mark } },
    spec: { workloads },
  });
}

/** Waits for its end. */
async function finished(plane: KubeClient, inputs: RebalancingInputs, deadline: Deadline): Promise<RebalancingOutputs> {
  const attempt = async () => {
    const found = await plane.find(pathOf(inputs.name));
    if (found === undefined) throw new Deleted("somebody deleted it before it had finished; run up again");
    const { finishTime, observedWorkloads = [] } = (found["status"] ?? {}) as Status;
    if (finishTime === undefined) return new Pending("karmada-controller-manager has not done it yet");
    const failed = observedWorkloads.filter(({ result }) => result === "Failed");
    const missing = failed.map(({ workload }) => objectTitle(workload)).toSorted();
    const rebalanced = sorted(inputs.workloads).map(objectTitle);
    return { finished: finishTime, rebalanced: rebalanced.filter((title) => !missing.includes(title)), missing };
  };
  return waitFor("it to finish", deadline, attempt, { fatal: (error) => error instanceof Deleted });
}

class Deleted extends Error {}

interface Status {
  readonly finishTime?: string;
  readonly observedWorkloads?: readonly { readonly workload: RebalancedWorkload; readonly result?: string }[];
}

/** Gives an existing object the lifetime now declared. */
async function keepFor({ name, karmadaKubeconfig, ttlSecondsAfterFinished = null }: KeptFor): Promise<void> {
  const plane = await connect(karmadaKubeconfig);
  const found = await plane.find(pathOf(name));
  const spec = (found?.["spec"] ?? {}) as { readonly ttlSecondsAfterFinished?: number };
  if (markOf(found) === undefined || (spec.ttlSecondsAfterFinished ?? null) === ttlSecondsAfterFinished) return;
  await plane.merge(pathOf(name), { spec: { ttlSecondsAfterFinished } }).catch(unlessGone);
}

type KeptFor = Pick<RebalancingInputs, "name" | "karmadaKubeconfig"> & {
  readonly ttlSecondsAfterFinished?: number | null;
};

const sorted = (workloads: readonly RebalancedWorkload[]) =>
  workloads
    .map(({ apiVersion, kind, namespace, name }) => ({ apiVersion, kind, ...(namespace && { namespace }), name }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
