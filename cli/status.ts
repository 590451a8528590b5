/** `npm run status`: etcd of a stack, and its members as its control plane sees them, as they are now. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { command } from "./stack/command.ts";
import { essentials, type EtcdNow, etcdNow } from "./stack/etcd-now.ts";
import { etcdTable } from "./stack/etcd-table.ts";
import { seenTable } from "./stack/member-table.ts";
import { hasPlane, openPlane, readOutputs, type Seen } from "./stack/members-now.ts";
import { noPlane } from "./stack/no-plane.ts";
import { requireStack } from "./stack/pulumi.ts";
import { programOf } from "./stack/stack-file.ts";
import { unread } from "./stack/unread.ts";

const root = join(import.meta.dirname, "..");

const help = `usage: npm run status [-- [--stack NAME] [--json] [--watch]]

Shows every member of etcd: its role, version, health, how many entries it is behind, its database; of an external etcd what
the stack's certificate may see.
Shows every member cluster: how it is joined, its version, whether it is Ready and why not, its nodes, since when that is so,
and when the credential ends that it is reached with. Asks etcd and the control plane; changes nothing.

  --stack NAME   the stack  [dev]
  --json         for machines: one object with \`etcd\` and \`members\`, in one line; \`problem\` when the plane is silent
  --watch        go on until it is interrupted, and show it again whenever something is different
  --help         print this

Exit codes: 0 all are healthy and Ready; 1 one is not, or nothing could be read; 2 wrong usage; 130 interrupted.`;

process.exitCode = await command(
  "npm run status",
  help,
  async ({ stack, flags }, interrupted) => {
    const signal = AbortSignal.any([interrupted, unread()]);
    await requireStack(root, stack);
    const outputs = await readOutputs(root, stack);
    if (!hasPlane(outputs)) throw new Error(noPlane(stack, await programOf(root, stack)));
    const { plane, look: lookAtMembers } = await openPlane(outputs);
    const look = async (): Promise<Status> => {
      const [etcd, seen] = await Promise.all([etcdNow(outputs.etcdAccess), lookAtMembers()]);
      return { etcd, ...seen };
    };
    const show = flags.has("json") ? showJson : showTable;
    let found = await look();
    show(found);
    while (flags.has("watch") && !signal.aborted) {
      await sleep(2000, undefined, { signal }).catch(() => {}); // an interrupt ends it, or that nobody reads on
      const now = await look();
      if (!isDeepStrictEqual(told(now), told(found))) show(now);
      found = now;
    }
    plane.close();
    return isWell(found) ? 0 : 1;
  },
  ["json", "watch"],
);

interface Status extends Seen {
  readonly etcd: readonly EtcdNow[];
}

/** What is shown again when it changes. */
function told(status: Status) {
  return { ...status, etcd: essentials(status.etcd) };
}

function isWell({ etcd, members, problem }: Status): boolean {
  const ready = members.every((member) => member.ready === "True");
  return problem === undefined && ready && etcd.every(({ state }) => state === "Healthy");
}

function showJson(status: Status): void {
  console.log(JSON.stringify(status));
}

function showTable({ etcd, ...seen }: Status): void {
  console.log([...etcd.map((cluster) => etcdTable(cluster)), seenTable(seen, new Date())].join("\n"));
}
