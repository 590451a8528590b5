import { execa } from "execa";
import { ownProgram } from "../own-program.ts";
import type { Reason } from "./manifest.ts";
import type { SnapshotPlan, Taken } from "./take.ts";
import type { EtcdTools } from "./tools.ts";

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
 */
export async function takeSnapshotApart({ tools, ...plan }: SnapshotPlan, reason: Reason): Promise<Taken> {
  const order: Order = { plan, reason, ...(plan.verify !== "sha" && { tools: await tools() }) };
  const { command, args, env } = snapshotProgram();
  const child = execa(command, args, { env, stdin: "pipe", reject: false, cleanup: true });
  child.stdin.on("error", () => {}); // it has ended, which is told below
  child.stdin.write(`${JSON.stringify(order)}\n`);
  const { stdout, stderr, exitCode, signal } = await child;
  const answer = answerIn(stdout);
  if (answer === undefined) {
    const how = signal === undefined ? `with exit code ${exitCode}` : `by ${signal}`;
    throw new Error(`${plan.deployment}: the process that takes the snapshot ended ${how}: ${stderr.slice(-500)}`);
  }
  if ("error" in answer) throw new Error(answer.error);
  return answer.taken;
}

/** What takes it, and ends then. */
export const snapshotProgram = () => ownProgram("lib/snapshots/main.ts", { stays: false });

function answerIn(text: string): Answer | undefined {
  return text === "" ? undefined : (JSON.parse(text) as Answer);
}
