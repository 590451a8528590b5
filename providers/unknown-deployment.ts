import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { quote } from "../lib/hosts/quote.ts";
import { supervisorLayout } from "../lib/supervisor/layout.ts";
import { preparedNames } from "../lib/supervisor/prepared.ts";
import { processPaths } from "../lib/supervisor/process-paths.ts";
import { namesIn, runningRecord } from "../lib/supervisor/records.ts";
import type { Problem } from "./implementation.ts";

/**
 * A deployment in a directory that the state knows nothing of, whether it runs or not, as after a reboot: new authorities
 * would cut it off from everyone with the old ones, and a `destroy` would delete its data. It is told by the disk. Where a
 * replacement is forced the engine does not show the state, so that it looks the same.
 *
 * What an `up` leaves there that was killed before it came to a program is none, nor are logs and snapshots.
 * @param deployment its name, where that is known
 */
export function checkUnknown(directory: string, deployment: string | undefined): Problem[] {
  const running = namesIn(supervisorLayout(directory).running).filter((name) => runningRecord(directory, name));
  const present = presentIn(directory);
  if (running.length === 0 && present.length === 0) return [];
  const [found, first] =
    running.length > 0
      ? [`runs there already (${listed(running)})`, "end what runs there, its supervisor first, "]
      : [`is there, and does not run (${listed(present)})`, ""];
  const aside = `mv ${quote(directory)} ${quote(`${directory}.before`)}`;
  const reason =
    `${directory}: ${deployment === undefined ? "a deployment" : `deployment "${deployment}"`} ${found}, and the state of this stack knows nothing of that, or its replacement is forced\n` +
    "where it is forced leave this resource out of --replace, or take its taint back (`pulumi state untaint`), or add --refresh, " +
    "which leaves the directory as it is; otherwise use the state it was made with (docs/state.md), or another name and " +
    "placement.directory; if that state is lost, " +
    `${first}move the directory away (${aside}), and restore a snapshot (docs/recovery.md)`;
  return [{ property: "directory", reason }];
}

/** The programs that are to run there, now or when their time has come, and the members of etcd that have data. */
function presentIn(directory: string): string[] {
  const members = namesAt(directory).filter((name) => hasEtcdData(processPaths({ directory, name }).data));
  return [...new Set([...namesIn(supervisorLayout(directory).wanted), ...preparedNames(directory), ...members])];
}

/** A member of the deployment's own etcd has a directory for each number of its data, that of simulated ones has none. */
const hasEtcdData = (data: string): boolean =>
  ["", ...namesAt(data)].some((number) => existsSync(join(data, number, "member", "wal")));

function namesAt(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // there is none, or it is a file
  }
}

const listed = (names: readonly string[]): string => names.toSorted().join(", ");
