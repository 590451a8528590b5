import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** A lock of this process, released by `release` or by the kernel when the process ends, however it ends. */
export interface Lock {
  release(): void;
  /** Whether others still come upon it: one whose file was deleted or moved away keeps nobody off any more. */
  stands(): boolean;
}

/**
 * Takes the lock that a file stands for, if nobody else has it. Node has no flock(2); SQLite, which it brings along, locks
 * its files with fcntl(2). A lock file with a process id in it would need to be judged stale, and two can judge at once.
 */
export function tryLock(path: string): Lock | undefined {
  const database = new DatabaseSync(path);
  const opened = inode(path);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (/database is locked/.test(String(error))) return undefined;
    throw error;
  }
  // Its last owner may have removed the file between our opening and our locking it: then the lock stands for nothing.
  if (opened === undefined || inode(path) !== opened) {
    database.close();
    return undefined;
  }
  return { release: () => database.close(), stands: () => standsAs(opened, path) };
}

/** A file system that does not answer is no sign that the file has gone. */
function standsAs(opened: number, path: string): boolean {
  try {
    return inode(path) === opened;
  } catch {
    return true;
  }
}

function inode(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
