import { mostMembers } from "../../spec/etcd/size.ts";
import type { MemberFiles } from "../etcd/runtime/member-files.ts";
import type { EtcdRuntime, FormerMember } from "../etcd/runtime/runtime.ts";
import { messageOf } from "../wait.ts";
import type { RestoredMember } from "./token.ts";

/** All members where data are restored, present and former. */
export interface FoundMembers {
  readonly members: readonly LookedAt[];
  /** Former members that run or have data. */
  readonly former: readonly FormerMember[];
  /** Hosts that cannot be reached: whether they have a former member is unknown. */
  readonly unseen: readonly string[];
}

/** A member to look at. */
export interface LookedAt {
  readonly name: string;
  /** Where it may answer: at its declared address, and where it still is. */
  readonly clientUrls: readonly string[];
  readonly files: MemberFiles;
}

/**
 * Finds them, without changing anything. Former ones count too: they may work, have the only copy of the data, and
 * would keep running beside the restored cluster.
 */
export async function findMembers(
  runtime: Pick<EtcdRuntime, "observe" | "files" | "former">,
  members: readonly Pick<RestoredMember, "name" | "clientUrl">[],
): Promise<FoundMembers> {
  const names = members.map(({ name }) => name);
  const { members: former, unseen } = await runtime.former(namesBeside(names), names);
  const own = members.map(({ name, clientUrl }) => ({ name, label: name, at: runtime, declared: [clientUrl] }));
  const seen = await Promise.all(
    [...own, ...former.map((each) => ({ ...each, declared: [] }))].map(async ({ name, label, at, declared }) => {
      const { running, clientUrl, incarnations } = await at.observe(name).catch((error: unknown) => {
        throw new Error(`${label}: looking at it: ${messageOf(error)}`, { cause: error });
      });
      const now = running && clientUrl !== undefined ? [clientUrl] : [];
      const isThere = running || incarnations.length > 0;
      return { name: label, clientUrls: [...new Set([...declared, ...now])], files: at.files(name), isThere };
    }),
  );
  const there = seen.flatMap(({ name, isThere }) => (isThere ? name : []));
  return { members: seen, former: former.filter(({ label }) => there.includes(label)), unseen };
}

/** Every name that a member of the same cluster may have had, these included: they differ in their number. */
function namesBeside(names: readonly string[]): string[] {
  const stems = new Set(names.map((name) => name.replace(/\d+$/, "")));
  return [...stems].flatMap((stem) => Array.from({ length: mostMembers }, (_, number) => `${stem}${number}`));
}
