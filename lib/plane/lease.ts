import { json } from "node:stream/consumers";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isNotFound } from "../kube/error.ts";
import type { Sign } from "./program.ts";
import { failing, running, type Verdict } from "./verdict.ts";

/** How much the clocks of a leader and of the API server may differ, and how late a renewal may be. */
const allowance = 10_000;

/**
 * Whether one of a program's replicas works: the one that holds its lease renews it every few seconds. The time is that
 * of the API server, since the clock here may be wrong by more than a lease lasts.
 */
export async function leaseVerdict(
  plane: KubeClient,
  { namespace, name }: Extract<Sign, { kind: "lease" }>,
  timeout: number,
): Promise<Verdict> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
  const answer = await plane.open("GET", path, { timeout }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (answer === undefined)
    return failing("NeverLed", `lease ${namespace}/${name} is not there: nobody has held it yet`);
  const { spec } = (await json(answer)) as KubeObject;
  const { holderIdentity: leader = "", renewTime = "", leaseDurationSeconds = 0 } = (spec ?? {}) as Spec;
  const now = Date.parse(answer.headers.date ?? "") || Date.now();
  const ends = Date.parse(renewTime) + leaseDurationSeconds * 1000 + allowance;
  if (leader !== "" && ends >= now) return running("HoldsLease", { leader });
  const last = leader === "" ? "" : `, its last holder was ${leader}`;
  return failing("LeaseExpired", `nobody has renewed lease ${namespace}/${name} since ${renewTime}${last}`);
}

/** Of a Lease. */
interface Spec {
  readonly holderIdentity?: string;
  /** RFC 3339. */
  readonly renewTime?: string;
  readonly leaseDurationSeconds?: number;
}
