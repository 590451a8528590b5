import { createHash } from "node:crypto";
import type { Bootstrap } from "./runtime/runtime.ts";

/**
 * The ID, hexadecimal, of the cluster that members with this bootstrap form: it follows from their peer URLs and the
 * token (etcd's `server/etcdserver/api/membership`: `computeMemberID` and `genID`).
 */
export function clusterIdOf({ initialCluster, token }: Pick<Bootstrap, "initialCluster" | "token">): string {
  const urls = new Map<string, string[]>();
  for (const pair of initialCluster.split(",")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at);
    urls.set(name, [...(urls.get(name) ?? []), pair.slice(at + 1)]);
  }
  const members = [...urls.values()].map((each) => firstBytes(each.toSorted().join("") + token));
  return firstBytes(Buffer.concat(members.toSorted((a, b) => a.compare(b))))
    .readBigUInt64BE()
    .toString(16);
}

const firstBytes = (content: string | Buffer): Buffer => createHash("sha1").update(content).digest().subarray(0, 8);
