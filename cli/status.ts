/** `npm run status`: the members of a stack as its control plane sees them now. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { MemberStatus } from "../lib/members/status.ts";
import { messageOf } from "../lib/wait.ts";
import { command } from "./stack/command.ts";
import { memberTable } from "./stack/member-table.ts";
import { openPlane, readOutputs } from "./stack/members-now.ts";
import { stackExists } from "./stack/pulumi.ts";

const root = join(import.meta.dirname, "..");

const help = `usage: npm run status [-- [--stack NAME] [--json] [--watch]]

Shows every member: how it is joined, its version, whether it is Ready and why not, its nodes, since when that is so, and
when the credential ends that it is reached with. Asks the control plane; changes nothing.

  --stack NAME   the stack  [dev]
  --json         for machines: one array, in one line
  --watch        go on until it is interrupted, and show it again whenever something is different
  --help         print this

Exit codes: 0 every member is Ready; 1 one is not, or nothing could be read; 2 wrong usage; 130 interrupted.`;

process.exitCode = await command(
  "npm run status",
  help,
  async ({ stack, flags }, signal) => {
    if (!(await stackExists(root, stack))) throw new Error(`stack ${stack}: there is none; npm start makes it`);
    const { kubeconfig, ...outputs } = await readOutputs(root, stack);
    if (kubeconfig === undefined) throw new Error(`stack ${stack}: it has no control plane yet; npm start goes on`);
    const { plane, look } = await openPlane({ kubeconfig, ...outputs });
    const show = flags.has("json") ? showJson : showTable;
    let found = await look();
    show(found);
    while (flags.has("watch") && !signal.aborted) {
      await sleep(2000, undefined, { signal }).catch(() => {}); // an interrupt ends it
      const now = await look().catch((error: unknown) => {
        console.error(`npm run status: ${messageOf(error)}`);
        return found;
      });
      if (!isDeepStrictEqual(now, found)) show(now);
      found = now;
    }
    plane.close();
    return found.every(({ ready }) => ready === "True") ? 0 : 1;
  },
  ["json", "watch"],
);

function showJson(members: readonly MemberStatus[]): void {
  console.log(JSON.stringify(members));
}

function showTable(members: readonly MemberStatus[]): void {
  console.log(memberTable(members, new Date()));
}
