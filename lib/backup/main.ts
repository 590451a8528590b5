/**
 * The backup program of one deployment, beside its etcd.
 *
 *     node main.ts <settings>                   as the schedule says, until SIGTERM
 *     node main.ts <settings> --once [--drill]  one backup and a drill that is due (or one in any case), then the end
 *
 * Every placement keeps it running like the other programs. --once is for operators and for tests: exit code 0 when
 * everything went well, 1 when not. The settings are described in settings.ts, what it leaves behind in status.ts. It
 * may be killed at any time.
 */
import { flushCompileCache } from "node:module";
import { parseArgs } from "node:util";
import { messageOf } from "../wait.ts";
import { Backups } from "./backups.ts";
import { serve } from "./serve.ts";
import { readSettings } from "./settings.ts";

process.umask(0o077);
// A full disk takes no more lines; the problem is served all the same.
process.stdout.on("error", () => {});
const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());

try {
  const { positionals, values } = parseArgs({
    // Said, since it may be started by a program that was given as an argument, which has no file to be left out.
    args: process.argv.slice(2),
    allowPositionals: true,
    options: { once: { type: "boolean", default: false }, drill: { type: "boolean", default: false } },
  });
  const [file = ""] = positionals;
  const settings = readSettings(file);
  const backups = new Backups(settings, log);
  if (values.once) {
    process.exitCode = (await backups.once({ drill: values.drill }, stop.signal)) ? 0 : 1;
  } else {
    const server = await serve(settings.listen, () => backups.status);
    flushCompileCache();
    log(`looks after the backups of ${settings.deployment}: ${settings.schedule.cron} (UTC)`);
    await backups.keep(stop.signal);
    server.close();
    server.closeAllConnections();
    log("ends");
  }
} catch (error) {
  log(messageOf(error));
  process.exitCode = 1;
}

/** Standard output is the log. */
function log(line: string): void {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
}
