import { failPoint } from "../../lib/fail-point.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { parseKubeconfig } from "../../lib/kube/kubeconfig.ts";
import { ensureCredentials, type MemberCredentials } from "../../lib/members/credentials.ts";
import { type Endpoint, probeEndpoint } from "../../lib/members/endpoint.ts";
import { identify, type Sides } from "../../lib/members/identity.ts";
import { becomeReady, register, type Registered } from "../../lib/members/registration.ts";
import { reserved } from "../../lib/members/reserved.ts";
import { noteFound, notePlane, sharedWith } from "../../lib/members/sharing.ts";
import { isUntouched, undoJoin } from "../../lib/members/undo-join.ts";
import { sha256 } from "../../lib/sha256.ts";
import { messageOf, renewableDeadline, type RenewableDeadline } from "../../lib/wait.ts";
import type { ClusterRegistrationInputs, ClusterRegistrationOutputs } from "../cluster-registration.ts";
import { goesOnByFormerWay } from "../goes-on-elsewhere.ts";
import { HalfDone, type State } from "../implementation.ts";
import { outputsOf } from "./outputs.ts";
import { takeIntoUse, writtenToken } from "./token.ts";

type Known = State<ClusterRegistrationInputs, ClusterRegistrationOutputs>;

/** A cluster that is to be a member as declared, in either mode, whether or not it is one already. */
interface Joining extends Sides {
  readonly inputs: ClusterRegistrationInputs;
  /** What the state has of it; nothing before it has joined. */
  readonly before: Partial<Known>;
  /** Renewed while an earlier registration leaves. */
  readonly deadline: RenewableDeadline;
}

/** What is written to both sides of a registration. */
interface Written extends Registered {
  readonly credentials: MemberCredentials;
  /** Other Karmadas that use the same account in the member. */
  readonly sharing: readonly string[];
  readonly endpoint: Endpoint;
}

/**
 * Makes a cluster a member as declared: writes to both sides what differs, waits until Karmada reports it ready, in
 * Push mode, and takes its token into use.
 *
 * @throws HalfDone when it is registered but not ready
 */
export async function ensureJoined(
  inputs: ClusterRegistrationInputs,
  before: Partial<Known>,
): Promise<ClusterRegistrationOutputs> {
  const deadline = renewableDeadline(inputs.timeoutSeconds);
  const sides = await identify(inputs, deadline);
  refuseAnotherCluster(sides.uid, before.uid);
  const joining = { ...sides, inputs, before, deadline };
  const run = async () => {
    const written = await registerOrUndo(joining);
    failPoint("rotation/in-use");
    return becomeUsed(joining, written);
  };
  const reservation = { plane: sides.plane.server, uid: sides.uid, cluster: inputs.cluster };
  return reserved(reservation, run, (error) => error instanceof HalfDone);
}

function refuseAnotherCluster(uid: string, before: string | undefined): void {
  if (before === undefined || before === uid) return;
  throw new Error(
    `the kubeconfig leads to another cluster than the one that joined (kube-system UID ${uid}, was ${before}); ` +
      "correct it, or, if the cluster was built anew, remove the member first and add it again",
  );
}

/** If a first join fails, what it wrote is removed. */
async function registerOrUndo(joining: Joining): Promise<Written> {
  const { plane, planeUid, member } = joining;
  const { cluster, syncMode } = joining.inputs;
  const isFirst = isNew(joining) && (await isUntouched(member, cluster));
  try {
    return await writeBothSides(joining);
  } catch (error) {
    if (isFirst) await undoJoin({ plane, planeUid, member, cluster, syncMode });
    throw error;
  }
}

const isNew = ({ before, existing }: Joining): boolean => before.uid === undefined && existing === undefined;

async function writeBothSides(joining: Joining): Promise<Written> {
  const { inputs, before, deadline, plane, member, uid, planeUid } = joining;
  const { cluster, memberKubeconfig, syncMode, declaredBy, handOver = false } = inputs;
  if (isNew(joining)) await noteFound(member, cluster);
  const credentials = await ensureCredentials(member, cluster, deadline, inputs);
  const sharing = await notePlane(member, cluster, planeUid);
  if (sharing.length > 0) console.warn(`${cluster}: ${sharedWith(cluster, sharing)}`);
  failPoint("rotation/made");
  const endpoint = await probeEndpoint(parseKubeconfig(memberKubeconfig), credentials);
  const whose = { declaredBy, handOver };
  const registration = { cluster, uid, endpoint, credentials, syncMode, ...whose, description: inputs, before };
  return { credentials, sharing, endpoint, ...(await register(plane, registration, deadline)) };
}

/** Waits until a registered member is ready, and its token is the one in use. */
async function becomeUsed(
  { inputs, before, deadline, plane, member, planeUid }: Joining,
  { credentials, sharing, endpoint, object, secret }: Written,
): Promise<ClusterRegistrationOutputs> {
  const { cluster, syncMode, heldElsewhere = false } = inputs;
  const token = writtenToken(credentials, secret, before);
  const way = wayOf(object, endpoint);
  if (heldElsewhere && (before.way ?? way) !== way) console.warn(`${cluster}: ${goesOnByFormerWay}`);
  const known = { ...outputsOf(object), ...token.known, way, planeUid };
  try {
    const settled = () => (syncMode === "Pull" ? object : becomeReady(plane, cluster, deadline));
    await settled();
    const isShared = sharing.length > 0;
    await takeIntoUse(inputs, token, { plane, member, endpoint, credentials, isShared, before, deadline });
    return { ...known, ...outputsOf(await settled()) };
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
}

/** How the control plane reaches a member, as a digest: proxy headers may hold secrets. */
const wayOf = ({ spec }: KubeObject, { caBundle }: Endpoint): string =>
  sha256(JSON.stringify([spec.apiEndpoint, caBundle, spec.proxyURL ?? "", spec.proxyHeader ?? {}])).slice(0, 16);
