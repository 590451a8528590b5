import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "./store.ts";
import { sha256 } from "../sha256.ts";

/**
 * Holds a publisher to what it served first: remembers the checksum of an address, or compares with the one
 * remembered.
 * @throws when it differs
 */
export async function pin(store: string, address: string, found: string): Promise<"first use" | "as pinned"> {
  const path = join(store, "pins", `${sha256(address)}.json`);
  const pinned = await readFile(path, "utf8").then(
    (text) => JSON.parse(text) as { sha256: string },
    () => undefined,
  );
  if (pinned?.sha256 === found) return "as pinned";
  if (pinned) {
    throw new Error(
      `${address}: checksum is ${found}, but ${pinned.sha256} was pinned when it was first used; ` +
        `if the publisher really changed it, remove ${path}`,
    );
  }
  await writeDurably(path, JSON.stringify({ address, sha256: found, firstUsed: new Date().toISOString() }) + "\n");
  return "first use";
}
