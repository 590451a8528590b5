import { connect } from "../lib/kube/client.ts";
import { grantDrift } from "../lib/members/agent-rights.ts";
import { describedBy } from "../lib/members/cluster-object.ts";
import { credentialDrift } from "../lib/members/credentials.ts";
import { declarerDrift } from "../lib/members/declarer.ts";
import { dueRotation } from "../lib/members/due.ts";
import { uidOf } from "../lib/members/identity.ts";
import { impersonatorSecretOf, paths } from "../lib/members/names.ts";
import { prefixErrors } from "../lib/members/prefix-errors.ts";
import { readyDrift } from "../lib/members/registration.ts";
import { isUnread, notesOf } from "../lib/members/token-notes.ts";
import { useElsewhere } from "../lib/members/token-use.ts";
import { wayDrift } from "../lib/members/way-drift.ts";
import { deadlineIn, messageOf } from "../lib/wait.ts";
import type { ClusterRegistrationInputs, ClusterRegistrationOutputs } from "./cluster-registration.ts";
import { checkRegistration } from "./cluster-registration/check.ts";
import { ensureJoined } from "./cluster-registration/join.ts";
import { leave } from "./cluster-registration/leave.ts";
import { outputsOf } from "./cluster-registration/outputs.ts";
import { implement, type State } from "./implementation.ts";
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
  create: (inputs) => prefixErrors(inputs.cluster, () => ensureJoined(inputs, {})),
  update: (inputs, state) => prefixErrors(inputs.cluster, () => ensureJoined(inputs, state)),
  read: observe,
  delete: (state) => prefixErrors(state.cluster, () => leave(state)),
});

export const provider = keptOnce(implemented, ["karmadaKubeconfig", "memberKubeconfig"]);

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
    return { state: { ...now, ...outputsOf(object) } as Partial<Known>, drift };
  } catch (error) {
    return { state: {}, drift: [`cannot be read: ${messageOf(error)}`] };
  }
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
