import { failPoint } from "../lib/fail-point.ts";
import { connect, type KubeObject } from "../lib/kube/client.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { about } from "../lib/members/about.ts";
import { grantDrift } from "../lib/members/agent-rights.ts";
import { describedBy } from "../lib/members/cluster-object.ts";
import { declarerDrift } from "../lib/members/declarer.ts";
import { credentialDrift, ensureCredentials } from "../lib/members/credentials.ts";
import { dueRotation } from "../lib/members/due.ts";
import { type Endpoint, probeEndpoint } from "../lib/members/endpoint.ts";
import { identify, uidOf } from "../lib/members/identity.ts";
import { impersonatorSecretOf, paths } from "../lib/members/names.ts";
import { becomeReady, readyCondition, readyDrift, register } from "../lib/members/registration.ts";
import { seenOf } from "../lib/members/seen.ts";
import { noteFound, notePlane, sharedWith } from "../lib/members/sharing.ts";
import { reserved } from "../lib/members/reserved.ts";
import { isUntouched, undoJoin } from "../lib/members/undo-join.ts";
import { isUnread, notesOf } from "../lib/members/token-notes.ts";
import { useElsewhere } from "../lib/members/token-use.ts";
import { wayDrift } from "../lib/members/way-drift.ts";
import { sha256 } from "../lib/sha256.ts";
import { deadlineIn, messageOf } from "../lib/wait.ts";
import type { ClusterRegistrationInputs, ClusterRegistrationOutputs } from "./cluster-registration.ts";
import { checkRegistration } from "./cluster-registration-check.ts";
import { leave } from "./cluster-registration-leave.ts";
import { takeIntoUse, writtenToken } from "./cluster-registration-token.ts";
import { goesOnByFormerWay } from "./goes-on-elsewhere.ts";
import { HalfDone, implement, type State } from "./implementation.ts";
import { keptOnce } from "./kept-once.ts";

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
  // A cluster joins once: under its new name only after it has left under the old one.
  deleteBeforeReplace: true,
  id: ({ cluster }) => cluster,
  check: checkRegistration,
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
    if (before.uid === undefined && existing === undefined) await noteFound(member, cluster);
    const credentials = await ensureCredentials(member, cluster, deadline, inputs);
    const sharing = await notePlane(member, cluster, planeUid);
    if (sharing.length > 0) console.warn(`${cluster}: ${sharedWith(cluster, sharing)}`);
    failPoint("rotation/made");
    const endpoint = await probeEndpoint(parseKubeconfig(memberKubeconfig), credentials);
    const whose = { declaredBy, handOver };
    const registration = { cluster, uid, endpoint, credentials, syncMode, ...whose, description: inputs, before };
    const { object: written, secret } = await register(plane, registration, deadline);
    return { credentials, sharing, endpoint, written, secret };
  };
  const run = async () => {
    const isFirst = before.uid === undefined && existing === undefined && (await isUntouched(member, cluster));
    const { credentials, sharing, endpoint, written, secret } = await write().catch(async (error: unknown) => {
      if (isFirst) await undoJoin({ plane, planeUid, member, cluster, syncMode });
      throw error;
    });
    failPoint("rotation/in-use");
    const token = writtenToken(credentials, secret, before);
    const way = wayOf(written, endpoint);
    if (inputs.heldElsewhere === true && (before.way ?? way) !== way) console.warn(`${cluster}: ${goesOnByFormerWay}`);
    const known = { ...outputs(written), ...token.known, way, planeUid };
    try {
      const settled = () => (syncMode === "Pull" ? written : becomeReady(plane, cluster, deadline));
      await settled();
      const isShared = sharing.length > 0;
      await takeIntoUse(inputs, token, { plane, member, endpoint, credentials, isShared, before, deadline });
      return { ...known, ...outputs(await settled()) };
    } catch (error) {
      throw new HalfDone(
        messageOf(error),
        {
          ...known,
          // Programs may have the previous one until this has finished.
          ...(token.isRemade && { credentialSince: before.credentialSince }),
          ...(syncMode === "Push" && { ready: false }),
        },
        { cause: error },
      );
    }
  };
  return reserved({ plane: plane.server, uid, cluster }, run, (error) => error instanceof HalfDone);
}

/** How the control plane reaches a member, as a digest: proxy headers may hold secrets. */
const wayOf = ({ spec }: KubeObject, { caBundle }: Endpoint): string =>
  sha256(JSON.stringify([spec.apiEndpoint, caBundle, spec.proxyURL ?? "", spec.proxyHeader ?? {}])).slice(0, 16);

async function observe(state: Known) {
  const { cluster } = state;
  try {
    const plane = await connect(state.karmadaKubeconfig);
    const object = await plane.find(paths.cluster(cluster), { timeout: 5000 });
    if (object === undefined) return undefined;
    const drift = [
      ...(object.metadata?.deletionTimestamp === undefined ? [] : ["its Cluster is being deleted"]),
      ...(state.syncMode === "Pull" ? await grantDrift(plane, cluster) : readyDrift(object)),
      ...wayDrift(object, state),
      ...(await secretDrift(state)),
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

async function secretDrift(state: Known): Promise<string[]> {
  const { cluster, karmadaKubeconfig, heldElsewhere = false, credentialSince: since } = state;
  const plane = await connect(karmadaKubeconfig);
  const names = [cluster, impersonatorSecretOf(cluster)];
  const found = await Promise.all(names.map((name) => plane.find(paths.secret(name))));
  const { made = since } = notesOf(found[0]);
  return [
    ...(since === undefined || made === since ? [] : [`secret ${cluster}: has the token of ${made}, not of ${since}`]),
    ...names.flatMap((name, i) => (found[i] === undefined ? [`secret ${name}: is gone from the plane`] : [])),
    ...(isUnread(found[0]) && !heldElsewhere ? [`secret ${cluster}: programs may go on with the token before it`] : []),
  ];
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
