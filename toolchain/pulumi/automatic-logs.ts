import { randomUUID } from "node:crypto";
import { lstat, mkdir, readlink, rename, symlink } from "node:fs/promises";
import { join } from "node:path";

/** Where the logs of commands with `--debug` lie in a PULUMI_HOME, and older ones. */
const kept = "debug-logs";

/**
 * Says whether pulumi writes its automatic log, of each command, of everything it is told, compressed and encrypted: that
 * is half of the processor time of an engine with nothing to do, all of it while the program waits for an answer. Pulumi
 * has no setting for it and goes on without where it cannot make the directory `logs` of its home.
 * https://github.com/pulumi/pulumi/blob/v3.259.0/pkg/logging/encrypted.go (StartLogging)
 *
 * @param home one of this project's: nobody else's is touched
 */
export async function chooseAutomaticLogs(home: string, wanted: boolean): Promise<void> {
  const path = join(home, "logs");
  await mkdir(join(home, kept), { recursive: true, mode: 0o700 });
  const target = wanted ? kept : "/dev/null";
  if ((await readlink(path).catch(() => undefined)) === target) return;
  const isDirectory = await lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isDirectory) await rename(path, join(home, kept, `before-${randomUUID()}`));
  const made = `${path}.${randomUUID()}`;
  await symlink(target, made);
  await rename(made, path);
}
