import * as command from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { quote } from "../../lib/hosts/quote.ts";
import type { Deployment, LocalPlacement } from "../../spec/deployment.ts";
import type { Placement } from "../placement.ts";

/** What a hook is in every placement. */
export type Hook = LocalPlacement<pulumi.Output<string>>["hooks"][number];

/** The versions that hooks are told: an etcd by itself has no other. */
export type HookVersions = Pick<Deployment["versions"], "etcd"> & Partial<Deployment["versions"]>;

/** A deployment with hooks. */
export interface Hooked<H extends Hook> extends Pick<Deployment, "name"> {
  readonly versions: HookVersions;
  readonly placement: { readonly hooks: readonly H[] };
}

/** What the commands of a hook have in common. */
export interface OfHook {
  /** Name of its resource; where it has several, what their names begin with. */
  readonly name: string;
  /** Variables that every script is given. */
  readonly given: Readonly<Record<string, string>>;
  readonly opts: pulumi.CustomResourceOptions;
}

/**
 * Runs the hooks of a moment, one after another.
 *
 * @param commandsOf makes the commands of one, which are run at the same time
 * @param first what is done before any of them
 */
export const hooksOf =
  <H extends Hook>(
    { name, versions, placement }: Hooked<H>,
    commandsOf: (hook: H, common: OfHook) => readonly pulumi.Resource[],
    first: pulumi.Resource,
  ): NonNullable<Placement["hooks"]> =>
  ({ when, phase }, { parent, dependsOn }) => {
    const given = {
      KARMADA_DEPLOYMENT: name,
      ...(versions.karmada !== undefined && { KARMADA_VERSION: versions.karmada }),
      ...(versions.kubernetes !== undefined && { KUBERNETES_VERSION: versions.kubernetes }),
      ETCD_VERSION: versions.etcd,
    };
    const all: pulumi.Resource[] = [];
    for (const hook of placement.hooks.filter((each) => each.when === when && each.phase === phase)) {
      const opts = { parent, dependsOn: [...dependsOn, first, ...all] };
      all.push(...commandsOf(hook, { name: `${name}-hook-${hook.name}`, given, opts }));
    }
    return all;
  };

/**
 * Runs the hooks of a moment on this machine, as the user of pulumi.
 *
 * @param more variables besides those that every script is given
 * @param first what is done before any of them
 */
export const hooksHere = (
  deployment: Hooked<Hook>,
  more: Readonly<Record<string, string>>,
  first: pulumi.Resource,
): NonNullable<Placement["hooks"]> =>
  hooksOf(
    deployment,
    (hook, { name, given, opts }) => [commandHere(name, hookInputs(hook, "sh -s", { ...given, ...more }), opts)],
    first,
  );

/** A hook's command on this machine. */
export const commandHere = (
  name: string,
  inputs: ReturnType<typeof hookInputs>,
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource => new command.local.Command(name, inputs, sealedOutput(opts));

/** What a hook's script writes may contain what it is given. */
export const sealedOutput = (opts: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions =>
  pulumi.mergeOptions(opts, { additionalSecretOutputs: ["stdout", "stderr"] });

/**
 * Scripts and variables are passed on standard input, so that they do not show in a process list.
 *
 * @param shell the command that reads a script there, up to the arguments
 */
export const hookInputs = (hook: Hook, shell: string, given: Readonly<Record<string, string>>) => ({
  create: `${shell} run`,
  ...(hook.undo !== undefined && { delete: `${shell} undo` }),
  stdin: pulumi.secret(pulumi.all({ ...given, ...hook.environment }).apply((variables) => scripts(hook, variables))),
  addPreviousOutputInEnv: false,
  // Its output may contain what it is given.
  ...(Object.keys(hook.environment).length > 0 && { logging: "none" as const }),
});

/** One function for each, the argument naming the one to run; their standard input is not the rest of the script. */
function scripts({ run, undo, triggers }: Hook, variables: Readonly<Record<string, string>>): string {
  return [
    ...Object.entries(variables).map(([key, value]) => `export ${key}=${quote(value)}`),
    ...triggers.map((trigger) => `: ${quote(trigger)}`),
    `run() {\n${run}\n}`,
    `undo() {\n${undo ?? ":"}\n}`,
    `set -eu`,
    `"$1" </dev/null`,
    ``,
  ].join("\n");
}
