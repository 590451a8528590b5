import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { partDeployment } from "../snapshots/manifest.ts";
import { openTarget } from "../snapshots/open-target.ts";
import { type Lock, tryLock } from "../supervisor/lock.ts";
import { messageOf } from "../wait.ts";
import { type DrillResult, runDrill } from "./drill.ts";
import { Journal } from "./journal.ts";
import { JournaledTarget } from "./journaled-target.ts";
import { lastSuccessIn, successOf } from "./last-success.ts";
import { runBackup } from "./run.ts";
import { empty, scratchName } from "./scratch.ts";
import { type History, Schedule } from "./schedule.ts";
import type { BackupSettings } from "./settings.ts";
import { StatusFile } from "./status-file.ts";
import { assess, type BackupStatus } from "./status.ts";

/** Looks after the backups of a deployment. If it is killed at any moment, the next one continues where it was. */
export class Backups {
  readonly #settings: BackupSettings;
  readonly #log: (line: string) => void;
  readonly #file: StatusFile;
  readonly #schedule: Schedule;
  readonly #drills: Schedule | undefined;

  constructor(settings: BackupSettings, log: (line: string) => void) {
    const { deployment: name, schedule, directory } = settings;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#settings = settings;
    this.#log = log;
    this.#schedule = new Schedule({ ...schedule, name });
    this.#drills = schedule.drill === undefined ? undefined : new Schedule({ ...schedule, cron: schedule.drill, name });
    this.#file = new StatusFile(settings, new Date(), log);
  }

  get status(): BackupStatus {
    return this.#file.value;
  }

  /** Does what is due until the signal fires. What is interrupted then counts as not begun. */
  async keep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#tick(signal);
      // In short pauses, by the clock: a timer stands still while the machine sleeps, and the clock may be changed.
      const pause = Math.min(this.#next().getTime() - Date.now(), longestPause);
      await sleep(Math.max(pause, 0), undefined, { signal }).catch(() => {});
    }
  }

  /** One backup, and a drill when one is due or wanted. @returns whether no problem remains */
  async once({ drill }: { readonly drill: boolean }, signal: AbortSignal): Promise<boolean> {
    const now = new Date();
    const [due = now] = this.#schedule.latest(now, 1);
    await this.#backup(due, signal);
    const drillDue = drill ? now : this.#drillDue(new Date());
    if (drillDue !== undefined) await this.#drill(drillDue, signal);
    return assess(this.status, new Date()).problems.length === 0;
  }

  async #tick(signal: AbortSignal): Promise<void> {
    this.#file.reread();
    const due = this.#schedule.due(this.#history(), new Date());
    if (due !== undefined) await this.#backup(due, signal);
    const drillDue = this.#drillDue(new Date());
    if (drillDue !== undefined) await this.#drill(drillDue, signal);
    this.#file.write(new Date());
  }

  #next(): Date {
    const now = new Date();
    const backup = this.#schedule.next(this.#history() ?? { due: now, ended: now, failures: 0 }, now);
    const drill = this.#drills?.next(this.#drillHistory(), now);
    return drill === undefined || backup < drill ? backup : drill;
  }

  #history(): History | undefined {
    const { run } = this.status;
    return run && { due: new Date(run.due), ended: new Date(run.ended), failures: run.failures };
  }

  /** The first drill is due in its turn, not at once: there is nothing to restore yet. */
  #drillHistory(): History {
    const { drill, since } = this.status;
    const { due, at, failures = 0 } = drill ?? { due: since, at: since };
    return { due: new Date(due), ended: new Date(at), failures };
  }

  #drillDue(now: Date): Date | undefined {
    return this.#drills?.due(this.#drillHistory(), now);
  }

  async #backup(due: Date, signal: AbortSignal): Promise<void> {
    const result = await this.#alone(signal, async (targets, scratch) => {
      if (this.status.lastSuccess === undefined) await this.#recall(targets);
      return runBackup(this.#settings, targets, scratch);
    });
    if (signal.aborted && result.error !== undefined) return;
    const failures = result.error === undefined ? 0 : (this.status.run?.failures ?? 0) + 1;
    const { snapshot, error } = result;
    this.#file.update({
      run: { due: due.toISOString(), ended: new Date().toISOString(), failures, ...(error !== undefined && { error }) },
      ...("targets" in result && { targets: [...result.targets] }),
      ...(snapshot !== undefined && { lastSuccess: successOf(snapshot, result.seconds) }),
    });
    if (snapshot !== undefined) this.#log(`snapshot ${snapshot.id}: ${snapshot.sizeBytes} bytes`);
    for (const problem of assess(this.status, new Date()).problems) this.#log(problem);
  }

  /** In another place, as in a new pod or on another host, the program does not know yet what it has taken. */
  async #recall(targets: readonly JournaledTarget[]): Promise<void> {
    const lastSuccess = await lastSuccessIn(targets, this.#settings);
    if (lastSuccess !== undefined) this.#file.update({ lastSuccess });
  }

  async #drill(due: Date, signal: AbortSignal): Promise<void> {
    const at = new Date().toISOString();
    const last = this.status.lastSuccess?.id;
    const result = await this.#alone(signal, (targets, scratch) =>
      runDrill(this.#settings, targets[0]!, scratch, last),
    );
    if (signal.aborted) return;
    const { isUnjudged, ...drill }: DrillResult =
      "error" in result ? { seconds: 0, problem: result.error, isUnjudged: true } : result;
    const failures = (this.status.drill?.failures ?? 0) + 1;
    this.#file.update({ drill: { due: due.toISOString(), at, ...drill, ...(isUnjudged && { failures }) } });
    const { id, keys, seconds, problem } = this.status.drill!;
    this.#log(`restore drill: ${problem ?? `${keys} keys of ${id} in ${seconds.toFixed(1)} s`}`);
  }

  /** Works with the targets open, exclusively, in an empty scratch directory. */
  async #alone<T extends object>(
    signal: AbortSignal,
    work: (targets: readonly JournaledTarget[], scratch: string) => Promise<T>,
  ): Promise<T | Busy> {
    const { directory, targets: settings, deployment, apartFrom, etcd } = this.#settings;
    const scratch =
      this.#settings.scratch === undefined
        ? join(directory, "scratch")
        : join(this.#settings.scratch, scratchName(deployment));
    const targets: JournaledTarget[] = [];
    let lock: Lock | undefined;
    try {
      lock = tryLock(join(directory, "lock"));
      if (lock === undefined) return { error: "another backup of this deployment is under way" };
      const journal = new Journal(directory);
      for (const target of settings) {
        const open = async (name: string) =>
          new JournaledTarget(await openTarget(target, { deployment: name, apartFrom }), journal, signal);
        const whole = await open(deployment);
        targets.push(whole);
        for (const { name } of etcd.parts) {
          const part = partDeployment(deployment, name);
          whole.parts.set(part, await open(part));
        }
      }
      journal.adopt(targets.flatMap((target) => [target, ...target.parts.values()]));
      mkdirSync(scratch, { recursive: true, mode: 0o700 });
      empty(scratch);
      return await work(targets, scratch);
    } catch (error) {
      return { error: messageOf(error) };
    } finally {
      for (const target of targets) target.close();
      if (lock !== undefined) empty(scratch);
      lock?.release();
    }
  }
}

interface Busy {
  readonly error: string;
  readonly snapshot?: undefined;
}

const longestPause = 30_000;
