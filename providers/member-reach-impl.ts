import { setTimeout as sleep } from "node:timers/promises";
import { labelOf, type HostAddress } from "../lib/hosts/address.ts";
import { hostAt } from "../lib/hosts/hosts.ts";
import { whyNoAnswer, whyNoAnswerAt } from "../lib/members/answer.ts";
import { implement } from "./implementation.ts";
import type { MemberReachInputs, ReachedMember } from "./member-reach.ts";

export const provider = implement<MemberReachInputs, Readonly<Record<never, never>>>({
  inputs: { members: "update", hosts: "update" },
  id: () => "members-reach",
  derive: async ({ members = {}, hosts = {} }) => {
    const looks = Object.entries(members).map(([name, member]) => contradiction(name, member, hosts));
    for (const sentence of await Promise.all(looks)) if (sentence !== undefined) console.warn(sentence);
    return { inputs: {} };
  },
  create: () => Promise.resolve({}),
  update: () => Promise.resolve({}),
  delete: () => Promise.resolve(),
});

/** Why the mode of a member is wrong, in a sentence. */
async function contradiction(
  name: string,
  { server, from, ...member }: ReachedMember,
  hosts: MemberReachInputs["hosts"],
): Promise<string | undefined> {
  if (server === undefined) return undefined;
  const dialled =
    from === undefined
      ? [whyNoAnswer(server).then((why) => why && `from this machine: ${why}`)]
      : from.map((host) => dialFrom(hosts[host], server));
  const found = (await Promise.all(dialled)).filter((why) => why !== undefined);
  if (found.length === 0) return undefined;
  return `${name}: ${server} does not answer ${found.join("; ")}\n${adviceOn(member)}`;
}

/** An unreachable host is reported by the resources that run there. */
async function dialFrom(host: HostAddress | undefined, server: string): Promise<string | undefined> {
  if (host === undefined) return undefined;
  const asked = whyNoAnswerAt(hostAt(host), server).catch(() => undefined);
  const why = await Promise.race([asked, sleep(hostSeconds * 1000, undefined, { ref: false })]);
  return why && `from ${labelOf(host)}: ${why}`;
}

/** For the login, and three seconds for the connection. */
const hostSeconds = 8;

function adviceOn({ syncMode, modeReason }: Pick<ReachedMember, "syncMode" | "modeReason">): string {
  const chosen = `syncMode auto came to ${syncMode}, as ${modeReason}`;
  return syncMode === "Push"
    ? `${chosen}: if the cluster is up, declare syncMode Pull, or correct networks on either side`
    : `${chosen}, and its agent is to run beside the control plane: if the cluster is up, declare agent.kind inMember`;
}
