/**
 * Takes one snapshot for a long-running program: a separate process needs little memory, whatever else that one has
 * loaded, and returns all of it.
 *
 * The first line of standard input is the order (see apart.ts); if standard input ends before the snapshot is there,
 * the requester is gone, and this exits too. The answer is the only line of standard output.
 */
import { createInterface } from "node:readline";
import { messageOf } from "../wait.ts";
import type { Answer, Order } from "./apart.ts";
import { takeSnapshot } from "./take.ts";

process.umask(0o077);
const lines = createInterface({ input: process.stdin });
lines.once("line", (line) => void obey(JSON.parse(line) as Order));
lines.once("close", () => process.exit(1));

async function obey({ plan, tools, reason }: Order): Promise<void> {
  const answer = await takeSnapshot({ ...plan, tools: async () => tools! }, reason).then(
    (taken): Answer => ({ taken }),
    (error: unknown): Answer => ({ error: messageOf(error) }),
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));
}
