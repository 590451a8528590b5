import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { ownProgram } from "../own-program.ts";
import type { Reason } from "./manifest.ts";
import { sourceMembers } from "./source.ts";
import type { SnapshotPlan, Taken } from "./take.ts";
import { targetUri } from "./target-uri.ts";
import type { EtcdTools } from "./tools.ts";
import { secondsFor } from "./verify.ts";

/** What main.ts is told. */
export interface Order {
  readonly plan: Omit<SnapshotPlan, "tools">;
  /** Absent when nothing is to be proved by them. */
  readonly tools?: EtcdTools | undefined;
  readonly reason: Reason;
}

/** What it says in the end. */
export type Answer = { readonly taken: Taken } | { readonly error: string };

/**
 * Takes a snapshot like `takeSnapshot`, in a process of its own, which ends with this one. It needs less than 150 MB for
 * any database, while Pulumi's process of dynamic resources has as much before it begins.
 *
 * @param limit how many seconds it may take: whoever writes to a network share that is away waits for ever
 * @default what the size of the databases allows
 */
export async function takeSnapshotApart(
  { tools, ...plan }: SnapshotPlan,
  reason: Reason,
  limit?: number,
): Promise<Taken> {
  const seconds = limit ?? (await longest(plan, reason));
  const order: Order = { plan, reason, ...(plan.verify !== "sha" && { tools: await tools() }) };
  const { command, args, env } = snapshotProgram();
  const times = { timeout: seconds * 1000, forceKillAfterDelay: killSeconds * 1000 };
  const child = execa(command, args, { env, stdin: "pipe", reject: false, cleanup: true, ...times });
  child.stdin.on("error", () => {}); // it has ended, which is told below
  child.stdin.write(`${JSON.stringify(order)}\n`);
  const timer = new AbortController();
  const given = sleep((seconds + 2 * killSeconds) * 1000, undefined, timer).catch(() => undefined);
  const end = await Promise.race([child, given]);
  timer.abort();
  if (end === undefined || end.timedOut) {
    // Where the kernel lets it wait without interruption it cannot be ended, and this process is to end without it.
    child.unref();
    for (const stream of child.stdio) stream?.destroy();
    const outcome = end === undefined ? `process ${child.pid} cannot be ended` : "it was ended";
    throw new Error(tooLong(plan, seconds, outcome));
  }
  const { stdout, stderr, exitCode, signal } = end;
  const answer = answerIn(stdout);
  if (answer === undefined) {
    const how = signal === undefined ? `with exit code ${exitCode}` : `by ${signal}`;
    throw new Error(`${plan.deployment}: the process that takes the snapshot ended ${how}: ${stderr.slice(-500)}`);
  }
  if ("error" in answer) throw new Error(answer.error);
  return answer.taken;
}

/** Between SIGTERM and SIGKILL, and once more until nothing is waited for. */
const killSeconds = 5;

/** Each cluster is read, three times if need be, proved and copied, each in the time that its database may take. */
async function longest({ source, parts = [], targets, verify }: Order["plan"], reason: Reason): Promise<number> {
  const works = 3 + { sha: 0, status: 1, restore: 3 }[verify] + targets.length - 1;
  const clusters = [source, ...parts.map(({ endpoints }) => ({ ...source, endpoints }))];
  const each = clusters.map(async (cluster) => {
    // Whatever is wrong with it, who takes the snapshot says.
    const members = await sourceMembers(cluster, { emergency: reason === "emergency" }).catch(() => []);
    return works * secondsFor(Math.max(0, ...members.map(({ dbSize }) => dbSize)));
  });
  return Math.ceil((await Promise.all(each)).reduce((sum, seconds) => sum + seconds));
}

function tooLong({ deployment, targets }: Order["plan"], seconds: number, outcome: string): string {
  const where = targets.map((target) => targetUri(target, deployment)).join(", ");
  return `${deployment}: taking a snapshot into ${where}: it took longer than ${seconds} s, and ${outcome}\nsee whether what it is written to still answers, such as a network share`;
}

/** What takes it, and ends then. */
export const snapshotProgram = () => ownProgram("lib/snapshots/main.ts", { stays: false });

function answerIn(text: string): Answer | undefined {
  return text === "" ? undefined : (JSON.parse(text) as Answer);
}
