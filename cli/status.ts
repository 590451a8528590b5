/** `npm run status`: etcd of a stack, its control plane, and its members as that sees them, as they are now. */
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { dueLines } from "./stack/certificates-due.ts";
import { command } from "./stack/command.ts";
import { essentials } from "./stack/etcd-now.ts";
import { etcdTable } from "./stack/etcd-table.ts";
import { seenTable } from "./stack/member-table.ts";
import { hasPlane, isEtcdAlone, openPlane, readOutputs } from "./stack/members-now.ts";
import { noPlane } from "./stack/no-plane.ts";
import { isUp } from "./stack/plane-now.ts";
import { planeTable } from "./stack/plane-table.ts";
import { requireStack } from "./stack/pulumi.ts";
import { programOf } from "./stack/stack-file.ts";
import { type Status, statusNow } from "./stack/status-now.ts";
import { unread } from "./stack/unread.ts";

const root = join(import.meta.dirname, "..");

const help = `usage: npm run status [-- [--stack NAME] [--json] [--watch]]

Shows every member of etcd: its role, version, health, how many entries it is behind, its database; of an external etcd what
the stack's certificate may see.
Shows every program of the control plane: whether it runs, by what the Karmada API shows of it, which of several replicas
works, and why not. One that works alone shows nothing there: it is asked itself on one machine, and Unobserved on hosts.
Names certificates with less than \`pki.renewBefore\` left, and those that have ended.
Shows every member cluster: how it is joined, its version, whether it is Ready and why not, its nodes, since when that is so,
and when the credential ends that it is reached with. Asks etcd and the control plane; changes nothing. Of a stack of the program
etcd it shows etcd's members and its certificates.

  --stack NAME   the stack  [dev]
  --json         for machines: one object with \`etcd\`, \`plane\`, \`certificates\` and \`members\`, in one line; \`problem\` when the
                 members could not be asked for
  --watch        go on until it is interrupted, and show it again whenever something is different
  --help         print this

Exit codes: 0 all are healthy, running and Ready, and no certificate has ended; 1 one is not, or could not be read;
2 wrong usage; 130 interrupted.`;

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
    const asked = hasPlane(outputs) ? await openPlane(outputs) : undefined;
    if (asked === undefined && !isEtcdAlone(outputs)) throw new Error(noPlane(stack, await programOf(root, stack)));
    const show = flags.has("json") ? showJson : asked ? showTable : showEtcd;
    try {
      for (let last: Status | undefined; ;) {
        const now = interrupted.aborted ? undefined : await Promise.race([statusNow(outputs, asked), interruption]);
        if (now === undefined) return 130;
        if (last === undefined || !isDeepStrictEqual(told(now), told(last))) show(now);
        last = now;
        if (flags.has("watch")) await sleep(2000, undefined, { signal }).catch(() => {}); // an interrupt ends it, or that nobody reads on
        if (!flags.has("watch") || gone.aborted) return isWell(now) ? 0 : 1;
      }
    } finally {
      asked?.plane.close();
    }
  },
});
process.exitCode = code;
if (code === 130) process.exit(); // what is still being asked is not waited for

/** What is shown again when it changes. */
function told(status: Status) {
  return { ...status, etcd: essentials(status.etcd) };
}

function isWell({ etcd, plane, certificates, members, problem }: Status): boolean {
  const ready = members.every((member) => member.ready === "True") && plane.every(isUp);
  const valid = certificates.every(({ ended }) => !ended);
  return problem === undefined && ready && valid && etcd.every(({ state }) => state === "Healthy");
}

function showJson(status: Status): void {
  console.log(JSON.stringify(status));
}

function showTable({ etcd, plane, certificates, ...seen }: Status): void {
  const now = new Date();
  const parts = [...etcdTables(etcd), ...planeTable(plane), ...dueParts(certificates, now)];
  console.log([...parts, seenTable(seen, now)].join("\n"));
}

/** There is nothing else. */
function showEtcd({ etcd, certificates }: Status): void {
  console.log([...etcdTables(etcd), ...dueParts(certificates, new Date())].join("\n").trimEnd());
}

function etcdTables(etcd: Status["etcd"]): string[] {
  return etcd.map((cluster) => etcdTable(cluster));
}

function dueParts(certificates: Status["certificates"], now: Date): string[] {
  const due = dueLines(certificates, now);
  return due.length > 0 ? [...due, ""] : [];
}
