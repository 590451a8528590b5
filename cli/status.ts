/** `npm run status`: etcd of a stack, and its members as its control plane sees them, as they are now. */
import { once } from "node:events";
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

const code = await command({
  name: "npm run status",
  help,
  switches: ["json", "watch"],
  async run({ stack, flags }, interrupted) {
    const interruption = once(interrupted, "abort").then(() => undefined);
    const gone = unread();
    const signal = AbortSignal.any([interrupted, gone]);
    await requireStack(root, stack);
    const outputs = await readOutputs(root, stack);
    if (!hasPlane(outputs)) throw new Error(noPlane(stack, await programOf(root, stack)));
    const { plane, look: lookAtMembers } = await openPlane(outputs);
    const look = async (): Promise<Status> => {
      const [etcd, seen] = await Promise.all([etcdNow(outputs.etcdAccess), lookAtMembers()]);
      return { etcd, ...seen };
    };
    const show = flags.has("json") ? showJson : showTable;
    try {
      for (let last: Status | undefined; ;) {
        const now = interrupted.aborted ? undefined : await Promise.race([look(), interruption]);
        if (now === undefined) return 130;
        if (last === undefined || !isDeepStrictEqual(told(now), told(last))) show(now);
        last = now;
        if (flags.has("watch")) await sleep(2000, undefined, { signal }).catch(() => {}); // an interrupt ends it, or that nobody reads on
        if (!flags.has("watch") || gone.aborted) return isWell(now) ? 0 : 1;
      }
    } finally {
      plane.close();
    }
  },
});
process.exitCode = code;
if (code === 130) process.exit(); // what is still being asked is not waited for

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
