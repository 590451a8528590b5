/** `npm run destroy`: removes everything a stack made, and the stack itself. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runPulumi } from "../toolchain/pulumi/index.ts";
import { command } from "./stack/command.ts";
import { confirmed } from "./stack/confirm.ts";
import { saysWhatIsLeft } from "./stack/event-log.ts";
import { protectedResources, stackExists } from "./stack/pulumi.ts";
import { isHarmlessToDestroy } from "./stack/harmless.ts";
import { configOfStack, forgetEncryption, programOf } from "./stack/stack-file.ts";
import { removeWorkspace } from "./stack/workspace.ts";

const root = join(import.meta.dirname, "..");

const help = `usage: npm run destroy [-- [--stack NAME] [-- PULUMI-ARGUMENT...]]

Takes the members out of Karmada, stops every program, removes their data, and then the stack. The stack file stays, and
so do the installed programs, which all checkouts share (npm run toolchain -- --list says where). A stack that took over a
Karmada where it is (npm run adopt -- --in-place) only lets go of it.

  --stack NAME   the stack  [dev]
  --yes          ask nothing. It asks where something real would go: programs on hosts or in a host cluster, members that
                 are not simulated
  --help         print this

What follows a second \`--\` goes to \`pulumi destroy\`.
Exit codes: 0 all is gone; 1 something was missing, or was not agreed to, or is left where nobody answered; 2 wrong usage; 130 interrupted; else that of pulumi.`;

/** Enables pulumi's option `--event-log` (sdk/go/common/env, `DebugCommands`). */
const hasEventLog = { PULUMI_DEBUG_COMMANDS: "true" };

process.exitCode = await command({
  name: "npm run destroy",
  help,
  switches: ["yes"],
  async run({ stack, pulumi, flags }, signal) {
    if (!(await stackExists(root, stack))) {
      console.log(`stack ${stack}: there is none, nothing to remove`);
      return 0;
    }
    signal.throwIfAborted();
    if (!pulumi.includes("--exclude-protected")) await refuseProtected(stack);
    if (!(await agreed(stack, flags.has("yes"), signal))) {
      console.error(`npm run destroy: stack ${stack} is as it was`);
      return 1;
    }
    const started = performance.now();
    const isAdopted = (await programOf(root, stack)) === "adopted";
    const { code, left } = await destroy(stack, pulumi, signal);
    const failed = code || (await removeStack(stack, signal));
    if (failed) {
      console.error(
        `npm run destroy: pulumi ended with exit code ${failed}, see above; the same command goes on from there`,
      );
      return failed;
    }
    await removeWorkspace(root, stack);
    await forgetEncryption(root, stack);
    const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    if (left) {
      console.error(
        `stack ${stack}: removed, except what is left where nobody answered, see the warnings above (${took})`,
      );
      return 1;
    }
    console.log(
      isAdopted
        ? `stack ${stack}: removed; it lets go of its Karmada, which goes on as it is (${took})`
        : `stack ${stack}: removed, nothing of it is left (${took})`,
    );
    return 0;
  },
});

/** @throws when some of a stack is protected: pulumi would begin, and stop at it */
async function refuseProtected(stack: string): Promise<void> {
  const urns = await protectedResources(root, stack);
  if (urns.length === 0) return;
  throw new Error(
    `stack ${stack}: nothing is removed, since some of it is protected
${urns.map((urn) => `  ${urn}`).join("\n")}
where that is by etcd.protect, take it out of the stack file and run up; else: npm run pulumi -- state unprotect URN --stack ${stack}`,
  );
}

/** Asks about a stack that holds what would be missed. @throws when nobody can be asked */
async function agreed(stack: string, yes: boolean, unless: AbortSignal): Promise<boolean> {
  const config = await configOfStack(root, stack);
  if (config !== undefined && isHarmlessToDestroy(config, root)) return true;
  const loss =
    config?.["karmada:program"] === "etcd"
      ? "every member of etcd stops, the data of each Karmada that is in it are deleted"
      : "members leave, with what was propagated to them, every program stops, all data are deleted";
  return confirmed(`stack ${stack}: ${loss}; remove it?`, yes, unless);
}

/** @returns pulumi's exit code, and whether it warned of something left where nothing answered */
async function destroy(
  stack: string,
  more: readonly string[],
  unless: AbortSignal,
): Promise<{ code: number; left: boolean }> {
  const directory = await mkdtemp(join(tmpdir(), "karmada-destroy-"));
  try {
    const log = join(directory, "events");
    const args = ["destroy", "--yes", "--skip-preview", "--parallel", "32", "--event-log", log, "--stack", stack];
    const code = await runPulumi([...args, ...more], { cwd: root, env: { ...process.env, ...hasEventLog }, unless });
    return { code, left: saysWhatIsLeft(await readFile(log, "utf8").catch(() => "")) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The stack file stays, since it describes what could be brought up again. */
function removeStack(stack: string, unless: AbortSignal): Promise<number> {
  const args = ["stack", "rm", "--yes", "--preserve-config", "--stack", stack];
  return runPulumi(args, { cwd: root, quiet: true, unless });
}
