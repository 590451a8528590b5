import { readFileSync, writeFileSync } from "node:fs";

/** Beyond what most machines allow: each API server watches its files. */
const wanted = { max_user_instances: 8192, max_user_watches: 524_288 };

/**
 * Lets as many programs watch files as a test of many clusters has, on the whole machine. Where that takes rights that this
 * process lacks, it stays as it is: programs then say `too many open files`.
 * @returns what puts back what was there before
 */
export function allowFileWatchers(): () => void {
  const before = Object.entries(wanted).flatMap(([name, count]) => {
    const path = `/proc/sys/fs/inotify/${name}`;
    const text = readFileSync(path, "utf8");
    return Number(text) < count && written(path, String(count)) ? [[path, text] as const] : [];
  });
  return () => before.forEach(([path, text]) => written(path, text));
}

function written(path: string, text: string): boolean {
  try {
    writeFileSync(path, text);
    return true;
  } catch {
    return false;
  }
}
