import { failPoint } from "../lib/fail-point.ts";
import { connect, type KubeClient, type KubeObject } from "../lib/kube/client.ts";
import { isTransient } from "../lib/kube/error.ts";
import { givenUp } from "../lib/kube/given-up.ts";
import { kubeconfigProblems, parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { leftBehind } from "../lib/left-behind.ts";
import { about } from "../lib/members/about.ts";
import { accountFor } from "../lib/members/accounts.ts";
import { grantDrift, revokeAgent } from "../lib/members/agent-rights.ts";
import { type Cleaning, cleanMember, leftovers, propagated } from "../lib/members/cleanup.ts";
import { describedBy } from "../lib/members/cluster-object.ts";
import { declarerDrift } from "../lib/members/declarer.ts";
import { credentialDrift, ensureCredentials } from "../lib/members/credentials.ts";
import { dueRotation } from "../lib/members/due.ts";
import { type Endpoint, probeEndpoint } from "../lib/members/endpoint.ts";
import { restartHolders, revokeTokens } from "../lib/members/handover.ts";
import { identify, uidOf } from "../lib/members/identity.ts";
import { leavePlane, whyItStays, withdraw } from "../lib/members/leave.ts";
import { impersonatorSecretOf, paths } from "../lib/members/names.ts";
import { isOwnAccount, userOf } from "../lib/members/own-account.ts";
import { denyDeletion } from "../lib/members/preserve.ts";
import { becomeReady, notReady, readyCondition, readyDrift, register } from "../lib/members/registration.ts";
import { seenOf } from "../lib/members/seen.ts";
import { notePlane, sharedWith } from "../lib/members/sharing.ts";
import { release, reserved } from "../lib/members/reserved.ts";
import { type StillThere, stillThere } from "../lib/members/still-there.ts";
import { isUntouched, undoJoin } from "../lib/members/undo-join.ts";
import { revocable, useElsewhere } from "../lib/members/token-use.ts";
import { sha256 } from "../lib/supervisor/atomic-file.ts";
import { type Deadline, deadlineIn, messageOf, waitFor } from "../lib/wait.ts";
import type { ClusterRegistrationInputs, ClusterRegistrationOutputs } from "./cluster-registration.ts";
import { HalfDone, implement, type Problem, type State } from "./implementation.ts";
import { keptOnce } from "./kept-once.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

type Known = State<ClusterRegistrationInputs, ClusterRegistrationOutputs>;

const implemented = implement<ClusterRegistrationInputs, ClusterRegistrationOutputs>({
  inputs: {
    cluster: "replace",
    karmadaKubeconfig: "update",
    memberKubeconfig: "update",
    syncMode: "replace",
    declaredBy: "update",
    handOver: "update",
    preserveWorkloads: "update",
    provider: "update",
    region: "update",
    zones: "update",
    labels: "update",
    taints: "update",
    resourceModels: "update",
    proxy: "update",
    proxyHeader: "update",
    rotate: "update",
    rotateEvery: "ignore",
    due: "update",
    plan: "ignore",
    tokenHolders: "ignore",
    heldElsewhere: "ignore",
    used: "update",
    timeoutSeconds: "ignore",
  },
  // One cluster joins once: under its new name only when the old one is off.
  deleteBeforeReplace: true,
  id: ({ cluster }) => cluster,
  check: (inputs) => [
    ...checkKubeconfigs(inputs, ["karmadaKubeconfig", "memberKubeconfig"]),
    ...checkProxy(inputs),
    ...checkLogin(inputs),
  ],
  derive: async (inputs, { inputs: then }) => ({
    inputs: {
      ...(await dueRotation({ ...inputs, purpose: "plane" }, inputs, then)),
      ...(then && (await useElsewhere(inputs, then))),
    },
  }),
  create: (inputs) => about(inputs.cluster, () => join(inputs, {})),
  update: (inputs, state) => about(inputs.cluster, () => join(inputs, state)),
  read: observe,
  delete: (state) => about(state.cluster, () => leave(state)),
});

export const provider = keptOnce(implemented, ["karmadaKubeconfig", "memberKubeconfig"]);

/** An agent goes by the proxy of its kubeconfig before it goes by another, and it may not change the one that is written down. */
function checkProxy({ syncMode, proxy, memberKubeconfig }: Partial<ClusterRegistrationInputs>): Problem[] {
  if (syncMode !== "Pull" || proxy === undefined || memberKubeconfig === undefined) return [];
  if (kubeconfigProblems(memberKubeconfig).length > 0) return [];
  const { proxyUrl = proxy } = parseKubeconfig(memberKubeconfig);
  if (proxyUrl === proxy) return [];
  const reason = `got ${proxy}, want ${proxyUrl}: the kubeconfig has that as proxy-url, and its agent would go by it`;
  return [{ property: "proxy", reason }];
}

/** What would take its own login away from it. */
function checkLogin(inputs: Partial<ClusterRegistrationInputs>): Problem[] {
  const { cluster, memberKubeconfig } = inputs;
  if (cluster === undefined || memberKubeconfig === undefined) return [];
  if (kubeconfigProblems(memberKubeconfig).length > 0 || !isOwnAccount(memberKubeconfig, cluster)) return [];
  const asked = (["rotate", "rotateEvery", "preserveWorkloads"] as const).filter((each) => inputs[each]);
  const reason = `the kubeconfig logs in by Karmada's own account (${userOf(cluster)}), which would lose its token or its rights by this; give an administrator's kubeconfig first`;
  return asked.map((property) => ({ property, reason }));
}

async function join(inputs: ClusterRegistrationInputs, before: Partial<Known>): Promise<ClusterRegistrationOutputs> {
  const { cluster, memberKubeconfig, declaredBy, handOver = false } = inputs;
  const deadline = deadlineIn(inputs.timeoutSeconds);
  const { plane, member, uid, planeUid, existing } = await identify(inputs, deadline);
  if (before.uid !== undefined && before.uid !== uid) {
    throw new Error(
      `the kubeconfig leads to another cluster than the one that joined (kube-system UID ${uid}, was ${before.uid}); ` +
        "correct it, or, if the cluster was built anew, remove the member first and add it again",
    );
  }
  const { syncMode } = inputs;
  const write = async () => {
    const credentials = await ensureCredentials(member, cluster, deadline, inputs);
    const sharing = await notePlane(member, cluster, planeUid);
    if (sharing.length > 0) console.warn(`${cluster}: ${sharedWith(cluster, sharing)}`);
    failPoint("rotation/made");
    const endpoint = await probeEndpoint(parseKubeconfig(memberKubeconfig), credentials);
    const whose = { declaredBy, handOver };
    const registration = { cluster, uid, endpoint, credentials, syncMode, ...whose, description: inputs, before };
    const written = await register(plane, registration, deadline);
    return { credentials, sharing, endpoint, written };
  };
  const run = async () => {
    const isFirst = before.uid === undefined && existing === undefined && (await isUntouched(member, cluster));
    const { credentials, sharing, endpoint, written } = await write().catch(async (error: unknown) => {
      if (isFirst) await undoJoin({ plane, planeUid, member, cluster, syncMode });
      throw error;
    });
    failPoint("rotation/in-use");
    const { since, isReplacement } = credentials;
    // Somebody has deleted the one before, so that this one was made to repair it, and there is none to revoke.
    const isRemade = before.credentialSince !== undefined && before.credentialSince !== since;
    const isAnother = isReplacement || isRemade || before.tokenReplaced === since;
    const tokens = { credentialSince: since, ...(isAnother && { tokenReplaced: since }) };
    const known = { ...outputs(written), ...tokens, way: wayOf(written, endpoint), planeUid };
    try {
      const settled = () => (syncMode === "Pull" ? written : becomeReady(plane, cluster, deadline));
      await settled();
      const superseded = sharing.length > 0 ? [] : await revocable(member, inputs, credentials);
      if (isRemade && superseded.length === 0) await restartHolders(inputs.tokenHolders);
      await revokeTokens(member, endpoint, superseded, inputs.tokenHolders, deadline);
      return { ...known, ...outputs(await settled()) };
    } catch (error) {
      throw new HalfDone(
        messageOf(error),
        {
          ...known,
          // Programs may have the one before until this has come to its end.
          ...(isRemade && { credentialSince: before.credentialSince }),
          ...(syncMode === "Push" && { ready: false }),
        },
        { cause: error },
      );
    }
  };
  return reserved({ plane: plane.server, uid, cluster }, run, (error) => error instanceof HalfDone);
}

/** What the control plane goes by to a member, as a digest: the proxy may be sent what is secret. */
const wayOf = ({ spec }: KubeObject, { caBundle }: Endpoint): string =>
  sha256(JSON.stringify([spec.apiEndpoint, caBundle, spec.proxyURL ?? "", spec.proxyHeader ?? {}])).slice(0, 16);

async function observe(state: Known) {
  const { cluster } = state;
  try {
    const plane = await connect(state.karmadaKubeconfig);
    const object = await plane.find(paths.cluster(cluster), { timeout: 5000 });
    if (object === undefined) return undefined;
    const drift = [
      ...(state.syncMode === "Pull" ? await grantDrift(plane, cluster) : readyDrift(object)),
      ...(await missingSecrets(state)),
      ...(await memberDrift(state)),
      ...(state.handOver === true ? [] : declarerDrift(object, state.declaredBy)),
    ];
    const described = describedBy(object, state);
    const now = {
      provider: undefined,
      region: undefined,
      zones: undefined,
      proxy: undefined,
      proxyHeader: undefined,
      ...described,
    };
    return { state: { ...now, ...outputs(object) } as Partial<Known>, drift };
  } catch (error) {
    return { state: {}, drift: [`cannot be read: ${messageOf(error)}`] };
  }
}

async function leave(state: Known): Promise<void> {
  const { cluster, karmadaKubeconfig, memberKubeconfig } = state;
  const there = await stillThere(memberKubeconfig, state.uid, state.timeoutSeconds);
  const { member, silence } = there;
  const deadline = deadlineIn(state.timeoutSeconds);
  const plane = await connect(karmadaKubeconfig);
  const gone = await givenUp("the Karmada", plane, state.timeoutSeconds);
  if (gone !== undefined) return leaveGonePlane(state, plane, gone, there);
  const stays = await whyItStays(plane, cluster, state.declaredBy, deadline);
  if (stays !== undefined) return console.warn(`${cluster}: ${stays}`);
  const planeUid = await uidOf(plane, "the Karmada API", deadline);
  if (state.uid !== undefined) release({ plane: plane.server, uid: state.uid });
  const preserve = silence === undefined && state.preserveWorkloads === true;
  const unreached = preserve || silence !== undefined ? undefined : await whyUnreached(plane, state, deadline);
  if (preserve) await denyDeletion(member, accountFor("plane", cluster));
  await withdraw(plane, cluster, deadline, { lost: silence !== undefined, preserve });
  if (state.syncMode === "Pull") await revokeAgent(plane, cluster);
  const [, left] = await Promise.all([
    leavePlane(plane, cluster, deadline),
    silence === undefined ? cleanMember(member, cluster, deadline, cleaning({ ...state, planeUid })) : [],
  ]);
  if (silence !== undefined) {
    console.warn(`${cluster}: left Karmada, but not cleaned: ${silence}\n${leftBehind(leftovers(cluster).join("; "))}`);
  }
  if (unreached !== undefined) {
    console.warn(
      `${cluster}: left, but Karmada could not take out what it put there: ${unreached}\n${leftBehind(propagated)}`,
    );
  }
  for (const reason of left) console.warn(`${cluster}: ${reason}`);
}

const cleaning = ({ cluster, memberKubeconfig, planeUid }: Known): Cleaning => ({
  planeUid,
  asItself: isOwnAccount(memberKubeconfig, cluster),
});

/** Karmada gives up what is in a member that it does not reach, without a word, though this machine may. Of an agent's member its agent says it. */
async function whyUnreached(plane: KubeClient, { cluster, syncMode }: Known, deadline: Deadline) {
  if (syncMode === "Pull") return undefined;
  const find = () => plane.find(paths.cluster(cluster));
  const object = await waitFor("the Karmada API", deadline, find, { fatal: (error) => !isTransient(error) });
  return object && notReady(object);
}

/** Takes back what a Karmada that is no more was given in the member, as far as that answers. */
async function leaveGonePlane(
  state: Known,
  plane: KubeClient,
  gone: string,
  { member, silence }: StillThere,
): Promise<void> {
  const { cluster, uid, timeoutSeconds } = state;
  if (uid !== undefined) release({ plane: plane.server, uid });
  const left =
    silence === undefined ? await cleanMember(member, cluster, deadlineIn(timeoutSeconds), cleaning(state)) : [];
  const stays = silence === undefined ? [propagated] : leftovers(cluster);
  const cleaned = silence === undefined ? "" : `, and the member was not cleaned: ${silence}`;
  console.warn(`${cluster}: its Karmada is given up: ${gone}${cleaned}\n${leftBehind(stays.join("; "))}`);
  for (const reason of left) console.warn(`${cluster}: ${reason}`);
}

function outputs(
  cluster: KubeObject,
): Omit<ClusterRegistrationOutputs, "credentialSince" | "tokenReplaced" | "way" | "planeUid"> {
  const { metadata, spec, status } = cluster;
  const known = { uid: spec.id, apiEndpoint: spec.apiEndpoint };
  if (spec.syncMode === "Pull") return { ...known, registered: metadata?.uid ?? "" };
  return {
    ...known,
    kubernetesVersion: status?.kubernetesVersion ?? "",
    ready: readyCondition({ status })?.status === "True",
    seen: seenOf(cluster),
  };
}

async function missingSecrets({ cluster, karmadaKubeconfig }: Known): Promise<string[]> {
  const plane = await connect(karmadaKubeconfig);
  const names = [cluster, impersonatorSecretOf(cluster)];
  const found = await Promise.all(names.map((name) => plane.find(paths.secret(name))));
  return names.flatMap((name, i) => (found[i] === undefined ? [`secret ${name}: is gone from the plane`] : []));
}

async function memberDrift({ cluster, memberKubeconfig, uid, ...rotation }: Known): Promise<string[]> {
  try {
    const member = await connect(memberKubeconfig);
    const now = await uidOf(member, "the member", deadlineIn(3));
    return uid === undefined || uid === now
      ? await credentialDrift(member, cluster, rotation)
      : [`it is another cluster: ${now}`];
  } catch (error) {
    return [`the member cannot be read: ${messageOf(error)}`];
  }
}
