import { readFileSync } from "node:fs";
import { EtcdClient, type EtcdConnection } from "../../lib/etcd/client.ts";
import { reconcile } from "../../lib/etcd/membership/reconcile.ts";
import type { Desired, Known } from "../../lib/etcd/membership/situation.ts";
import { MovedEtcdRuntime } from "./moved-etcd-runtime.ts";

/** What one run is given, in the file that the first argument names. */
export interface Run {
  readonly connection: EtcdConnection;
  readonly runtimeDirectory: string;
  /** Members by name that move, and to where. */
  readonly moved: readonly string[];
  readonly movedDirectory: string;
  readonly desired: Desired;
  readonly known: Known;
  readonly timeoutSeconds: number;
}

// A run in a process of its own, which a test may kill.
const { connection, runtimeDirectory, moved, movedDirectory, desired, known, timeoutSeconds } = JSON.parse(
  readFileSync(process.argv[2]!, "utf8"),
) as Run;
const client = new EtcdClient(connection);
const runtime = new MovedEtcdRuntime(runtimeDirectory, movedDirectory, moved);
const say = (sentence: string) => console.log(sentence);
try {
  await reconcile({ client, runtime, desired, known, timeoutSeconds, say }, () => {});
} finally {
  client.close();
}
