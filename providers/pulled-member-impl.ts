import { connect, type KubeClient, type KubeObject } from "../lib/kube/client.ts";
import { reasonToGiveUp } from "../lib/kube/reason-to-give-up.ts";
import { retryTransient } from "../lib/kube/retry-transient.ts";
import { leftBehind } from "../lib/left-behind.ts";
import { prefixErrors } from "../lib/members/prefix-errors.ts";
import { accountFor } from "../lib/members/accounts.ts";
import { agentHomeAccount } from "../lib/members/agent-home.ts";
import { releaseAgent } from "../lib/members/agent-rights.ts";
import { propagated } from "../lib/members/cleanup.ts";
import { isOthers } from "../lib/members/declarer.ts";
import { withdraw } from "../lib/members/leave.ts";
import { paths } from "../lib/members/names.ts";
import { allowDeletion, denyDeletion } from "../lib/members/preserve.ts";
import { becomeReady, readyCondition, readyDrift } from "../lib/members/registration.ts";
import { seenOf } from "../lib/members/seen.ts";
import { type Deadline, deadlineIn, messageOf } from "../lib/wait.ts";
import { HalfDone, implement } from "./implementation.ts";
import { keptOnce } from "./kept-once.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { PulledMemberInputs, PulledMemberOutputs } from "./pulled-member.ts";

const implemented = implement<PulledMemberInputs, PulledMemberOutputs>({
  inputs: {
    cluster: "replace",
    registered: "update",
    declaredBy: "ignore",
    karmadaKubeconfig: "update",
    memberKubeconfig: "update",
    agentNamespace: "update",
    timeoutSeconds: "ignore",
  },
  deleteBeforeReplace: true,
  id: ({ cluster }) => cluster,
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig", "memberKubeconfig"]),
  // Its name comes from its registration: not known means that this is going to be deleted, while the agent still runs.
  diff: (_state, inputs) => (inputs.cluster === undefined ? { replaces: ["cluster"] } : {}),
  create: (inputs) => prefixErrors(inputs.cluster, () => ready(inputs, giveBack)),
  update: (inputs) => prefixErrors(inputs.cluster, () => ready(inputs)),
  async read({ cluster, karmadaKubeconfig }) {
    try {
      const object = await (await connect(karmadaKubeconfig)).find(paths.cluster(cluster), { timeout: 5000 });
      return object && { state: outputs(object), drift: readyDrift(object) };
    } catch (error) {
      return { state: {}, drift: [`cannot be read: ${messageOf(error)}`] };
    }
  },
  delete: (state) => prefixErrors(state.cluster, () => empty(state)),
});

export const provider = keptOnce(implemented, ["karmadaKubeconfig", "memberKubeconfig"]);

/** @param prepare what its agent needs first; if that fails, the next run begins anew */
async function ready(inputs: PulledMemberInputs, prepare?: typeof giveBack): Promise<PulledMemberOutputs> {
  const { cluster, karmadaKubeconfig, timeoutSeconds } = inputs;
  const plane = await connect(karmadaKubeconfig);
  const deadline = deadlineIn(timeoutSeconds);
  await retryTransient("its registration", deadline, () => registered(plane, cluster));
  await prepare?.(inputs, deadline);
  try {
    return outputs(await becomeReady(plane, cluster, deadline, "the member's karmada-agent"));
  } catch (error) {
    throw new HalfDone(messageOf(error), { kubernetesVersion: "", ready: false }, { cause: error });
  }
}

/** @throws when it is leaving, as after a run that was interrupted: its agent is not to delete what is to stay */
async function registered(plane: KubeClient, cluster: string): Promise<void> {
  const { metadata } = await plane.get(paths.cluster(cluster), { timeout: 5000 });
  if (metadata?.deletionTimestamp === undefined) return;
  throw new Error("its Cluster is being deleted\nit joins again by `up --refresh`");
}

/** Its earlier registration limited the agent as it left. Where only that is replaced, the agent's account is not. */
async function giveBack(inputs: PulledMemberInputs, deadline: Deadline): Promise<void> {
  const { memberKubeconfig } = inputs;
  if (memberKubeconfig === undefined) return;
  await allowDeletion(await connect(memberKubeconfig), accountOf(inputs), deadline);
}

/** Does nothing to another registration of that name, for instance in Push mode or of another stack. */
async function empty(state: PulledMemberInputs): Promise<void> {
  const { cluster, registered, declaredBy, karmadaKubeconfig, memberKubeconfig, timeoutSeconds } = state;
  const plane = await connect(karmadaKubeconfig);
  const gone = await reasonToGiveUp("the Karmada", plane, Math.min(10, timeoutSeconds));
  if (gone !== undefined)
    return console.warn(`${cluster}: its Karmada is given up: ${gone}\n${leftBehind(propagated)}`);
  const deadline = deadlineIn(timeoutSeconds);
  const find = () => plane.find(paths.cluster(cluster));
  const object = await retryTransient("the Karmada API", deadline, find);
  if (object === undefined || object.metadata?.uid !== registered) return;
  if (isOthers(object, declaredBy)) return;
  const lost = readyCondition(object)?.status !== "True";
  if (lost) console.warn(`${cluster}: its agent does not answer\n${leftBehind(propagated)}`);
  const preserve = memberKubeconfig !== undefined;
  const deny = async () => {
    if (preserve) await denyDeletion(await connect(memberKubeconfig), accountOf(state), deadline);
  };
  // An agent that does not answer now may come back in the middle of it.
  await deny().catch((error: unknown) => {
    if (!lost) throw error;
  });
  await withdraw(plane, cluster, timeoutSeconds, { lost, preserve });
  await retryTransient("the Karmada API to let go of the rights of its agent", deadlineIn(timeoutSeconds), () =>
    releaseAgent(plane, cluster),
  );
}

/** The account with which the agent acts in the member. */
const accountOf = ({ cluster, agentNamespace }: PulledMemberInputs) =>
  agentNamespace === undefined ? accountFor("agent", cluster) : agentHomeAccount(agentNamespace);

const outputs = (cluster: KubeObject): PulledMemberOutputs => ({
  kubernetesVersion: cluster.status?.kubernetesVersion ?? "",
  ready: readyCondition(cluster)?.status === "True",
  seen: seenOf(cluster),
});
