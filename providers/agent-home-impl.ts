import { judgeAddressFamily } from "../lib/host-cluster/address-family.ts";
import { judgeNamespace } from "../lib/host-cluster/namespace.ts";
import { judgeNodes } from "../lib/host-cluster/nodes.ts";
import { connect } from "../lib/kube/client.ts";
import { retryTransient } from "../lib/kube/retry-transient.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { leftBehind } from "../lib/left-behind.ts";
import { prefixErrors } from "../lib/members/prefix-errors.ts";
import {
  agentHome,
  agentHomeDrift,
  agentHomeLeftovers,
  ensureAgentHome,
  removeAgentHome,
} from "../lib/members/agent-home.ts";
import { isOthers } from "../lib/members/declarer.ts";
import { identify } from "../lib/members/identity.ts";
import { paths } from "../lib/members/names.ts";
import { stillThere } from "../lib/members/still-there.ts";
import { deadlineIn, messageOf } from "../lib/wait.ts";
import type { AgentHomeInputs, AgentHomeOutputs } from "./agent-home.ts";
import { type Before, type Derived, implement, type Problem, type State } from "./implementation.ts";
import { keptOnce } from "./kept-once.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

type Inputs = AgentHomeInputs;

const implemented = implement<Inputs, AgentHomeOutputs>({
  inputs: {
    cluster: "replace",
    namespace: "replace",
    deployment: "replace",
    declaredBy: "ignore",
    karmadaKubeconfig: "ignore",
    memberKubeconfig: "update",
    pods: "ignore",
    timeoutSeconds: "ignore",
  },
  deleteBeforeReplace: true,
  id: ({ cluster }) => cluster,
  check: (inputs) => {
    const problems = checkKubeconfigs(inputs, ["karmadaKubeconfig", "memberKubeconfig"]);
    return problems.length > 0 ? problems : checkWay(inputs);
  },
  derive: lookFirst,
  create: (inputs) => prefixErrors(inputs.cluster, () => ensure(inputs)),
  update: (inputs) => prefixErrors(inputs.cluster, () => ensure(inputs)),
  async read(state) {
    try {
      const drift = await agentHomeDrift(await connect(state.memberKubeconfig), homeOf(state));
      return drift && { state: {}, drift };
    } catch (error) {
      return { state: {}, drift: [`the member cannot be read: ${messageOf(error)}`] };
    }
  },
  delete: (state) => prefixErrors(state.cluster, () => remove(state)),
});

export const provider = keptOnce(implemented, ["karmadaKubeconfig", "memberKubeconfig"]);

/** An agent would correct the way it reaches the member in its Cluster if it differed there, but has no right to. */
function checkWay({ memberKubeconfig }: Partial<Inputs>): Problem[] {
  if (memberKubeconfig === undefined) return [];
  const { insecureSkipTlsVerify, proxyUrl } = parseKubeconfig(memberKubeconfig);
  const unlike = [
    ...(insecureSkipTlsVerify ? ["insecure-skip-tls-verify"] : []),
    ...(proxyUrl === undefined ? [] : ["proxy-url"]),
  ];
  return unlike.map((field) => ({
    property: "memberKubeconfig",
    reason: `it has ${field}, and an agent in the member reaches it otherwise; want a kubeconfig without, or agent.kind "beside"`,
  }));
}

/** A member that does not answer now is not a problem of the stack file: `up` reports what is wrong with it. */
async function lookFirst(inputs: Partial<Inputs>, { inputs: then }: Before<Inputs>): Promise<Derived<Inputs>> {
  const { cluster, namespace, deployment, memberKubeconfig, pods } = inputs;
  if (cluster === undefined || namespace === undefined || deployment === undefined) return { inputs: {} };
  if (memberKubeconfig === undefined || pods === undefined) return { inputs: {} };
  // Running pods are not checked against nodes that are drained or away.
  if (then?.namespace === namespace) return { inputs: {} };
  try {
    const member = await connect(memberKubeconfig);
    const { owner } = homeOf({ cluster, namespace, deployment });
    const found = await Promise.all([
      judgeNamespace(member, { namespace, deployment: owner }),
      judgeNodes(member, { pods: { ...pods, apart: {}, required: false } }),
      judgeAddressFamily(member),
    ]);
    const findings = found.flat();
    const warnings = findings.filter(({ severity }) => severity === "warning");
    const errors = findings.filter(({ severity }) => severity === "error");
    if (warnings.length > 0) console.log(warnings.map(({ message }) => `warning: ${cluster}: ${message}`).join("\n"));
    const problems = errors.map(({ need, message }) => ({ property: need, reason: message }));
    return { inputs: {}, problems };
  } catch (error) {
    console.log(`${cluster}: the member cannot be looked at now: ${messageOf(error)}`);
    return { inputs: {} };
  }
}

async function ensure(inputs: Inputs): Promise<AgentHomeOutputs> {
  const deadline = deadlineIn(inputs.timeoutSeconds);
  const { member, uid } = await identify(inputs, deadline);
  return { uid: await ensureAgentHome(member, homeOf(inputs), deadline), member: uid };
}

async function remove(state: State<Inputs, AgentHomeOutputs>): Promise<void> {
  const { cluster, memberKubeconfig, timeoutSeconds } = state;
  const home = homeOf(state);
  if (await servesOthers(state)) return;
  const { member, silence } = await stillThere(memberKubeconfig, state.member, timeoutSeconds);
  if (silence === undefined)
    return retryTransient(`the member to delete namespace ${home.namespace}`, deadlineIn(timeoutSeconds), () =>
      removeAgentHome(member, home, state.uid, timeoutSeconds),
    );
  const left = agentHomeLeftovers(home).join("; ");
  console.warn(`${cluster}: its agent was not taken away: ${silence}\n${leftBehind(left)}`);
}

/** Another stack that declares the member owns its agent too. A plane that does not answer tells nothing. */
async function servesOthers({ cluster, karmadaKubeconfig, declaredBy }: Inputs): Promise<boolean> {
  try {
    const object = await (await connect(karmadaKubeconfig)).find(paths.cluster(cluster), { timeout: 5000 });
    return object !== undefined && isOthers(object, declaredBy);
  } catch {
    return false;
  }
}

const homeOf = ({ cluster, namespace, deployment }: Pick<Inputs, "cluster" | "namespace" | "deployment">) =>
  agentHome(namespace, deployment, cluster);
