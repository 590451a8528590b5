import { deadlineIn, messageOf, Pending, waitFor, type Deadline } from "../../wait.ts";
import type { EtcdClient } from "../client.ts";
import type { EtcdMember } from "../member.ts";
import { readable } from "../log-lines.ts";
import { ClusterCalls } from "./calls.ts";
import type { MemberRuntime } from "../runtime/runtime.ts";
import { observeCluster, observeFacts } from "./facts.ts";
import { declared, maxLag, nameOf, type ClusterSeen, type Desired, type Known, type Situation } from "./situation.ts";

/** What the reconciler works with. */
export interface MembershipContext {
  readonly client: EtcdClient;
  readonly runtime: MemberRuntime;
  readonly desired: Desired;
  readonly known: Known;
  /** Seconds for one member to start or stop, and for etcd to agree to a change. */
  readonly timeoutSeconds: number;
  /** Tells the operator what is being done. */
  readonly say: (sentence: string) => void;
}

/** Looks at everything as it is now. @param timeout milliseconds for each answer of etcd */
export async function look(
  { client, runtime, desired, known }: MembershipContext,
  timeout?: number,
): Promise<Situation> {
  return { facts: await observeFacts(client, runtime, desired, known, timeout), desired, known };
}

/** Looks at the cluster alone, for polling: what runs its members is not asked, which would take longer. */
export async function lookAtCluster({ client, desired, known }: MembershipContext): Promise<ClusterSeen> {
  return { facts: { report: await observeCluster(client, desired, known) }, desired };
}

export const deadline = ({ timeoutSeconds }: MembershipContext): Deadline => deadlineIn(timeoutSeconds);

/** Through all healthy voters but one. */
export const callsWithout = ({ client }: MembershipContext, { facts }: Situation, id?: string): ClusterCalls =>
  new ClusterCalls(
    client,
    facts.report.members.filter((entry) => entry.id !== id),
  );

/** The entry a step is about. */
export function entryNamed(situation: ClusterSeen, name: string): EtcdMember {
  const entry = situation.facts.report.members.find((each) => nameOf(situation, each) === name);
  if (entry === undefined) throw new Error(`${name}: is not on the list of members any more`);
  return entry;
}

/** The declared member a step is about. */
export function wantedNamed({ desired }: Situation, name: string) {
  const wanted = desired.members.find((member) => member.name === name);
  if (wanted === undefined) throw new Error(`${name}: is not declared`);
  return wanted;
}

/** Waits until a majority answers and each of these members serves and has caught up. */
export async function waitUntilWell(
  context: MembershipContext,
  names: readonly string[],
  limit = deadline(context),
): Promise<void> {
  const attempt = async () => {
    const situation = await lookAtCluster(context);
    if (!situation.facts.report.conditions.quorum) {
      return new Pending(`no majority: ${situation.facts.report.silent.join("; ") || "nobody answers"}`);
    }
    const missing = names.flatMap((name) => shortcoming(situation, name) ?? []);
    return missing.length > 0 ? new Pending(missing.join("; ")) : undefined;
  };
  await withLogs(context, names, () => waitFor(`${names.join(", ") || "etcd"} to serve`, limit, attempt, quick));
}

/** Members start within a tenth of a second, and a wait for one holds up everything that follows. */
export const quick = { interval: 20, maxInterval: 200 };

function shortcoming(situation: ClusterSeen, name: string): string | undefined {
  const entry = situation.facts.report.members.find((each) => nameOf(situation, each) === name);
  if (entry === undefined) return `${name}: is not on the list of members`;
  if (!entry.healthy) return `${name}: ${problemOf(situation, entry)}`;
  return entry.lag > maxLag ? `${name}: is ${entry.lag} entries behind` : undefined;
}

/** Why a member is not well. For one that has never served, the list has no address, but its declaration has. */
export function problemOf(situation: ClusterSeen, entry: EtcdMember): string {
  const url = entry.clientUrls.length === 0 ? declared(situation, entry)?.clientUrl : undefined;
  const silence = situation.facts.report.silent.find((said) => url !== undefined && said.startsWith(`${url}: `));
  return silence ?? entry.problem ?? "it does not serve";
}

/** Adds to an error the last log lines of what was to run. */
export async function withLogs<T>(
  context: MembershipContext,
  names: readonly string[],
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const logs = await Promise.all(
      names.map(async (name) => {
        const log = await logOf(context, name);
        return log === "" ? `${name} has logged nothing` : `${name}, last lines of its log:\n${log}`;
      }),
    );
    throw new Error([messageOf(error), ...logs].join("\n"), { cause: error });
  }
}

const logOf = ({ runtime }: MembershipContext, name: string) =>
  runtime.log(name).then(readable, (error: unknown) => `(not to be had: ${messageOf(error)})`);
