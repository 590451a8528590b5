import { isDeepStrictEqual } from "node:util";
import { placeOf, statusAt } from "../lib/backup/status-at.ts";
import { assess, type BackupStatus } from "../lib/backup/status.ts";
import { deadlineIn, Pending, waitFor } from "../lib/wait.ts";
import type { EtcdBackupStatusInputs, EtcdBackupStatusOutputs } from "./etcd-backup-status.ts";
import { isOtherHost } from "./hosts/identity.ts";
import { whereReachable } from "./hosts/out-of-reach.ts";
import { HalfDone, implement, type State } from "./implementation.ts";

const implemented = implement<EtcdBackupStatusInputs, EtcdBackupStatusOutputs>({
  inputs: {
    path: "replace",
    host: "update",
    pod: "update",
    versions: "ignore",
    gate: "ignore",
    timeoutSeconds: "ignore",
  },
  id: placeOf,
  diff: ({ host }, inputs) => ({ replaces: host !== undefined && isOtherHost(host, inputs.host) ? ["host"] : [] }),
  create: firstBackup,
  update: firstBackup,
  read: (state) => (state.host === undefined ? look(state) : whereReachable(state.host, () => look(state))),
  delete: async () => {},
});

async function look(state: State<EtcdBackupStatusInputs, EtcdBackupStatusOutputs>) {
  const status = await statusAt(state);
  if (status === undefined) return { state: {}, drift: [`${placeOf(state)}: there is no status`] };
  const now = outputsOf(status);
  if (now.problem === undefined) return { state: state.problem === undefined ? {} : { ...now, problem: undefined } };
  return { state: now, drift: assess(status, new Date()).problems };
}

export const provider: typeof implemented = {
  ...implemented,
  async check(olds, news) {
    const { inputs, failures = [] } = await implemented.check(olds, news);
    return { inputs, failures: [...failures, ...(await gate(olds ?? {}, news))] };
  },
};

/** Another version is only installed while there is a recent snapshot to go back to. */
async function gate(before: Partial<EtcdBackupStatusInputs>, inputs: EtcdBackupStatusInputs) {
  const { versions, gate } = inputs;
  if (!gate || before.versions === undefined || isDeepStrictEqual(before.versions, versions)) return [];
  const status = await statusAt(inputs);
  const reason =
    status === undefined
      ? `${placeOf(inputs)}: there is no status of backups`
      : isWithout(status)
        ? outputsOf(status).problem
        : undefined;
  if (reason === undefined) return [];
  return [
    {
      property: "versions",
      reason: `versions are not changed without a recent backup: ${reason}\nmend the backups, or set snapshots.schedule.gate to false`,
    },
  ];
}

/** No recent snapshot; before the first one, that its last attempt failed. */
const isWithout = (status: BackupStatus): boolean =>
  assess(status, new Date()).overdue || (status.lastSuccess === undefined && status.run?.error !== undefined);

/** Waits for the first snapshot that is taken here: of one from another place how long it took is not known. Later ones and their failures are not waited for: the schedule continues. */
async function firstBackup(inputs: EtcdBackupStatusInputs): Promise<EtcdBackupStatusOutputs> {
  let seen: BackupStatus | undefined;
  const attempt = async () => {
    seen = await statusAt(inputs);
    if (seen?.lastSuccess?.seconds !== undefined) return outputsOf(seen);
    if (seen?.run?.error === undefined)
      return new Pending(seen === undefined ? `${placeOf(inputs)}: there is no status` : "under way");
    // An older failure may have been fixed since; it is being retried.
    if (Date.now() - Date.parse(seen.run.ended) > freshSeconds * 1000) return new Pending(seen.run.error);
    throw new Failed(`the first backup failed: ${seen.run.error}`);
  };
  try {
    return await waitFor("the first backup", deadlineIn(inputs.timeoutSeconds), attempt, {
      fatal: (error) => error instanceof Failed,
    });
  } catch (error) {
    if (seen !== undefined && seen.run === undefined)
      return { problem: "the first backup has not come to its end yet" };
    throw new HalfDone((error as Error).message, {}, { cause: error });
  }
}

const freshSeconds = 30;

class Failed extends Error {}

function outputsOf(status: BackupStatus): EtcdBackupStatusOutputs {
  const { lastSuccess } = status;
  const { ageSeconds, problems } = assess(status, new Date());
  return {
    ...(lastSuccess && { lastSuccess: lastSuccess.at, lastRevision: lastSuccess.revision }),
    ...(ageSeconds !== undefined && { ageSeconds: Math.round(ageSeconds) }),
    ...(problems.length > 0 && { problem: problems.join("; ") }),
  };
}
