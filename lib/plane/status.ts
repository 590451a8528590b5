import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isForbidden, KubeError, UnreachableError } from "../kube/error.ts";
import { describeProbe, probe } from "../probe.ts";
import { messageOf } from "../wait.ts";
import { admitPolicy } from "./admission.ts";
import { leaseVerdict } from "./lease.ts";
import type { PlaneProgram, Sign } from "./program.ts";
import { failing, running, type Verdict } from "./verdict.ts";

/** A program of the control plane as it is now. */
export interface ProgramStatus extends Verdict {
  /** Upstream's name: `karmada-scheduler`. */
  readonly name: string;
}

/** Milliseconds that each question has. */
const timeout = 5000;

/** The programs of a control plane, in the order in which they are given. Changes nothing, and never throws. */
export const readPrograms = (plane: KubeClient, programs: readonly PlaneProgram[]): Promise<ProgramStatus[]> =>
  Promise.all(programs.map(async ({ name, sign }) => ({ name, ...(await verdictOf(plane, sign).catch(unread)) })));

async function verdictOf(plane: KubeClient, sign: Sign): Promise<Verdict> {
  switch (sign.kind) {
    case "readyz":
      return readiness(plane);
    case "lease":
      return leaseVerdict(plane, sign, timeout);
    case "apis":
      return aggregation(plane, sign.service);
    case "admission":
      return admission(plane);
    case "probe":
      return probe(sign.probe).then(
        () => running("Answers"),
        (error: unknown) => failing("NoAnswer", `${describeProbe(sign.probe)}: ${messageOf(error)}`),
      );
    case "none":
      return { state: "Unobserved", reason: "WorksAlone", message: whereToLook(sign) };
  }
}

/** Whether it runs only its host tells, by its unit. */
const whereToLook = ({ host }: Extract<Sign, { kind: "none" }>): string =>
  host === undefined
    ? ""
    : `works alone, which nothing in the Karmada API shows: systemctl status 'karmada-*' on ${host} does; two replicas would hold a lease`;

/** The error names the checks that failed. */
async function readiness(plane: KubeClient): Promise<Verdict> {
  try {
    await plane.get("/readyz", { query: { verbose: "" }, timeout });
    return running("Ready");
  } catch (error) {
    if (error instanceof UnreachableError) return failing("NoAnswer", error.message);
    if (error instanceof KubeError && error.status >= 500) return failing("NotReady", error.message);
    throw error;
  }
}

/** As the API server reports of each of its APIs. */
async function aggregation(plane: KubeClient, service: string): Promise<Verdict> {
  const { items } = await plane.get<{ items: KubeObject[] }>("/apis/apiregistration.k8s.io/v1/apiservices", {
    timeout,
  });
  const its = items.filter(({ spec }) => spec?.service?.name === service);
  if (its.length === 0) return failing("NotRegistered", `no APIService names Service ${service}`);
  const unavailable = its.flatMap(({ metadata, status }) => {
    const conditions = (status?.conditions ?? []) as readonly Record<string, string>[];
    const available = conditions.find(({ type }) => type === "Available");
    if (available?.status === "True") return [];
    return [{ reason: "NotLookedAt", message: "the API server has not looked at it yet", ...available, metadata }];
  });
  const [first] = unavailable;
  if (first === undefined) return running("Available");
  return failing(first.reason, unavailable.map(({ metadata, message }) => `${metadata?.name}: ${message}`).join("; "));
}

async function admission(plane: KubeClient): Promise<Verdict> {
  try {
    await admitPolicy(plane);
    return running("Admits");
  } catch (error) {
    if (!/ failed calling webhook "[^"]+\.karmada\.io"/.test(messageOf(error))) throw error;
    return failing("NoAnswer", messageOf(error));
  }
}

function unread(error: unknown): Verdict {
  const reason = isForbidden(error) ? "Forbidden" : error instanceof UnreachableError ? "NoAnswer" : "NotRead";
  return { state: "Unknown", reason, message: messageOf(error) };
}
