import { createHash } from "node:crypto";
import { Cron } from "croner";

/** When something is due, again and again. */
export interface ScheduleSettings {
  /** Five fields, or six with seconds in front, or a nickname such as `@daily`; UTC, so that no hour is missed or doubled. */
  readonly cron: string;
  /**
   * Everything is due later by a part of this, always the same for one `name`, so that deployments do not all begin at
   * once.
   */
  readonly jitterSeconds: number;
  readonly name: string;
}

/** What is known of the runs so far. */
export interface History {
  /** The due time the last run was for. */
  readonly due: Date;
  /** Runs in a row that failed, up to the last one. */
  readonly failures: number;
  /** When the last run ended. */
  readonly ended: Date;
}

/** When snapshots are due: per cron, plus an offset that follows from the name, and sooner after a failure. */
export class Schedule {
  readonly #cron: Cron;
  readonly #offset: number;

  /** @throws when the pattern cannot be read, or never matches */
  constructor({ cron, jitterSeconds, name }: ScheduleSettings) {
    this.#cron = new Cron(cron, { timezone: "UTC" });
    this.#offset = offset(name, jitterSeconds * 1000);
    if (this.#cron.nextRun() === null) throw new Error(`"${cron}" never comes true`);
  }

  /** The latest due times up to `now`, latest first; at most `count`. */
  latest(now: Date, count: number): Date[] {
    // croner looks back from a time without counting that time itself.
    const reference = new Date(now.getTime() - this.#offset + 1);
    return this.#cron.previousRuns(count, reference).map((date) => this.#shifted(date));
  }

  /** The first due time after `moment`. */
  after(moment: Date): Date {
    const next = this.#cron.nextRun(new Date(moment.getTime() - this.#offset));
    return next === null ? never : this.#shifted(next);
  }

  /**
   * Whether two due times have passed since then: one may be under way, or about to be retried. If that time lies in
   * the future by more than one due time, the clock was ahead, and how many have passed is unknown.
   */
  isOverdue(lastSuccess: Date, now: Date): boolean {
    if (lastSuccess > this.after(now)) return true;
    const [, before] = this.latest(now, 2);
    return before !== undefined && lastSuccess < before;
  }

  /**
   * The due time to run for now; undefined when there is none. Runs missed while the machine slept or the program did
   * not run are made up for once. A failed run is retried after a growing pause.
   */
  due(history: History | undefined, now: Date): Date | undefined {
    const [latest = now] = this.latest(now, 1);
    if (history === undefined || latest > history.due) return latest;
    // In the future by more than one due time: the clock was ahead then, which tells nothing.
    if (history.due > this.after(now)) return latest;
    return history.failures > 0 && now >= retryAt(history) ? history.due : undefined;
  }

  /** When to look again, at the latest. */
  next(history: History, now: Date): Date {
    const next = this.after(history.due > now ? history.due : now);
    const retry = retryAt(history);
    return history.failures > 0 && retry < next ? retry : next;
  }

  #shifted(date: Date): Date {
    return new Date(date.getTime() + this.#offset);
  }
}

const never = new Date(8.64e15);

/** 1, 2, 4, 8 minutes after a failure, and so on, up to half an hour. */
function retryAt({ failures, ended }: History): Date {
  return new Date(ended.getTime() + Math.min(2 ** (failures - 1), 30) * 60_000);
}

/** Whole milliseconds from 0 up to `most`, by a digest of the name. */
function offset(name: string, most: number): number {
  return Math.floor((createHash("sha256").update(name).digest().readUInt32BE() / 2 ** 32) * most);
}
