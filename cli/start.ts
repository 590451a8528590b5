/** `npm start`: brings a stack up, from programs that are not there yet to a table of what runs. */
import { join } from "node:path";
import { runPulumi } from "../toolchain/pulumi/index.ts";
import { command } from "./stack/command.ts";
import { installPrograms } from "./stack/programs.ts";
import { mergedKubeconfig } from "./stack/merged-kubeconfig.ts";
import { hasPlane, openPlane, type Outputs, readOutputs } from "./stack/members-now.ts";
import { latestChanges, stackExists } from "./stack/pulumi.ts";
import { keepingText, readStackFile } from "./stack/stack-file.ts";
import { plainSummary, summary } from "./stack/summary.ts";
import { writeWorkspace } from "./stack/workspace.ts";

const root = join(import.meta.dirname, "..");

const help = `usage: npm start [-- [--stack NAME] [-- PULUMI-ARGUMENT...]]

Installs the programs that the stack needs, makes the stack when there is none, runs \`pulumi up\` and says what there is
then. Run again, it changes what differs from the stack file and nothing else.

  --stack NAME   the stack, described by Pulumi.NAME.yaml  [dev]
  --yes          is understood: this command asks nothing in any case
  --help         print this

What follows a second \`--\` goes to \`pulumi up\`, for instance: npm start -- -- --diff
Exit codes: 0 all is up; 1 something was missing; 2 wrong usage; 130 interrupted; else that of pulumi.`;

process.exitCode = await command({
  name: "npm start",
  help,
  switches: ["yes"],
  async run({ stack, pulumi }, signal) {
    const started = performance.now();
    const file = await readStackFile(root, stack);
    const { count, missing } = await installPrograms(file, signal);
    console.error(`programs: ${missing > 0 ? `${missing} installed, ` : ""}all ${count} are there`);
    signal.throwIfAborted();

    const failed = (await makeStack(stack, signal)) || (await up(stack, pulumi, signal));
    if (failed) {
      console.error(`npm start: pulumi ended with exit code ${failed}, see above; the same command goes on from there`);
      return failed;
    }

    const outputs = await readOutputs(root, stack);
    const ended = { stack, changes: await latestChanges(root, stack), seconds: (performance.now() - started) / 1000 };
    if (!hasPlane(outputs)) {
      console.log(plainSummary(ended));
      return 0;
    }
    const { plane, look } = await openPlane(outputs);
    try {
      const outcome = {
        ...ended,
        endpoint: outputs.endpoint,
        sample: file.sample,
        karmada: outputs.karmada ?? file.versions.karmada,
        seen: await look(),
        workspace: await writeWorkspace(root, stack, kubeconfigOf(outputs), file.versions),
        context: Object.keys(outputs.simulatedKubeconfigs ?? {})[0],
      };
      console.log(summary(outcome, new Date()));
      return 0;
    } finally {
      plane.close();
    }
  },
});

/** Kubeconfig of the control plane, and of members that nobody else gives a kubeconfig for. */
function kubeconfigOf({ kubeconfig, simulatedKubeconfigs = {} }: Outputs): string {
  return mergedKubeconfig(kubeconfig, simulatedKubeconfigs);
}

/** @returns the exit code */
async function makeStack(stack: string, unless: AbortSignal): Promise<number> {
  if (await stackExists(root, stack)) return 0;
  const init = ["stack", "init", stack, "--non-interactive"];
  return keepingText(root, stack, () => runPulumi(init, { cwd: root, quiet: true, unless }));
}

/** The preview comes first: what is wrong with the stack file, or with this machine, is said before anything starts. */
function up(stack: string, more: readonly string[], unless: AbortSignal): Promise<number> {
  const args = [
    "up",
    "--yes",
    "--suppress-outputs",
    "--continue-on-error",
    "--parallel",
    "32",
    "--stack",
    stack,
    ...more,
  ];
  return runPulumi(args, { cwd: root, unless });
}
