import { shared } from "../shared.ts";
import { deadlineIn, type Deadline } from "../wait.ts";
import { connect, type KubeClient, type KubeObject } from "../kube/client.ts";
import { isNotFound, KubeError, UnreachableError } from "../kube/error.ts";
import { retryTransient } from "../kube/retry-transient.ts";
import { type Declarer, declarerOf, isOthers, refusalOf } from "./declarer.ts";
import { paths } from "./names.ts";
import { refuseLackingRights } from "./rights.ts";

/** Both sides of a registration, identified. */
export interface Sides {
  readonly plane: KubeClient;
  readonly member: KubeClient;
  /** UID of the member's kube-system namespace, by which Karmada tells clusters apart. */
  readonly uid: string;
  /** UID of the plane's kube-system namespace. */
  readonly planeUid: string;
  /** The member's registration, when it has one already. */
  readonly existing: KubeObject | undefined;
}

/** A cluster that is to be a member, and both sides, each with every right. */
export interface Joining {
  readonly cluster: string;
  /** Who would have it. */
  readonly declaredBy: Declarer;
  readonly karmadaKubeconfig: string;
  readonly memberKubeconfig: string;
}

/**
 * How long a server that does not answer is retried, in seconds. A dead member holds up an `up` for no longer, even if
 * it alone changes, plus the two seconds before in which its kinds were asked for.
 */
const patience = { plane: 15, member: 7 };

/**
 * Identifies both servers, and refuses what would go wrong later. Nothing is written.
 * @throws when one cannot be reached, is not what it should be, or the name or the cluster is taken
 */
export async function identify(
  { cluster, declaredBy, karmadaKubeconfig, memberKubeconfig }: Joining,
  deadline: Deadline,
): Promise<Sides> {
  const within = (seconds: number) => deadlineIn(Math.min(seconds, deadline.left() / 1000));
  const reach = { plane: within(patience.plane), member: within(patience.member) };
  const [plane, member] = await Promise.all([connect(karmadaKubeconfig), connect(memberKubeconfig)]);
  const [planeUid, uid, clusters] = await Promise.all([
    uidOf(plane, "the Karmada API", reach.plane),
    uidOf(member, "the member", reach.member).catch(advise),
    listClusters(plane, reach.plane),
  ]);
  if (planeUid === uid) {
    throw new Error(`${member.server} is this control plane itself; give the kubeconfig of the member cluster`);
  }
  const twin = clusters.find(({ spec, metadata }) => spec?.id === uid && metadata?.name !== cluster);
  if (twin !== undefined) {
    const name = twin.metadata?.name;
    const isOurs = declarerOf(twin) !== undefined && !isOthers(twin, declaredBy);
    const toDo = isOurs ? `\nto rename it, take ${name} out of the list in an up of its own first` : "";
    throw new Error(`${member.server} is registered already, as ${name}; a cluster joins once${toDo}`);
  }
  const existing = clusters.find(({ metadata }) => metadata?.name === cluster);
  const refusal = existing && refusalOf(existing, declaredBy);
  if (refusal !== undefined) throw new Error(refusal);
  const other = existing?.spec?.id;
  if (other !== undefined && other !== "" && other !== uid && existing?.metadata?.deletionTimestamp === undefined) {
    throw new Error(
      `the name is taken by another cluster (kube-system UID ${other}), ${member.server} has ${uid}; ` +
        "choose another name, or remove that member first if the cluster was built anew",
    );
  }
  await refuseLackingRights(member);
  return { plane, member, uid, planeUid, existing };
}

/** Adds what to do when a member cannot be reached, or cannot be trusted. */
function advise(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  if (error instanceof UnreachableError) {
    error.message += "; this may be another cluster than you mean: take a new kubeconfig from the member";
  } else if (error.cause instanceof UnreachableError) {
    error.message += "; start the member, or correct the server in its kubeconfig";
  }
  throw error;
}

/**
 * The clusters the plane knows; also the proof that it is a Karmada. Each lists all kinds it serves: fifty that join at
 * the same time nearly all share one answer, which would otherwise be megabytes for each.
 */
async function listClusters(plane: KubeClient, reach: Deadline): Promise<KubeObject[]> {
  const list = lists.get(plane) ?? shared(() => plane.get<{ items: KubeObject[] }>(paths.clusters));
  lists.set(plane, list);
  const { items } = await retryTransient("the Karmada API", reach, list).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new Error(`${plane.server} is not a Karmada API server: it has no cluster.karmada.io`, { cause: error });
  });
  return items;
}

const lists = new WeakMap<KubeClient, () => Promise<{ items: KubeObject[] }>>();

/** By what Karmada tells clusters apart: the UID of the kube-system namespace. */
export async function uidOf(client: KubeClient, which: string, reach: Deadline): Promise<string> {
  const read = () => client.get(paths.namespace("kube-system"), { timeout: Math.min(5000, Math.max(1, reach.left())) });
  const namespace = await retryTransient(which, reach, read).catch((error: unknown) => {
    if (!(error instanceof KubeError)) throw error;
    throw new Error(`${client.server}: ${hint(error)}`, { cause: error });
  });
  const uid = namespace?.metadata?.uid;
  if (uid === undefined) throw new Error(`${client.server} is not a Kubernetes API server: it has no namespaces`);
  return uid;
}

function hint(error: KubeError): string {
  if (error.status === 401) return "does not accept the kubeconfig's credentials (401)";
  if (error.status === 403) return `the kubeconfig's user may not read namespaces, an administrator is needed (403)`;
  if (error.status === 404) return "is not a Kubernetes API server, or has no namespace kube-system (404)";
  return error.message;
}
