import { homedir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { addonNotes } from "../spec/addons/objects.ts";
import { resolveAdoptedProgram } from "../spec/adopted-program.ts";
import type { Context } from "../spec/context.ts";
import { schedulersOf, schedulerWarnings } from "../spec/control-plane/schedulers.ts";
import { resolveEtcdProgram } from "../spec/etcd-program.ts";
import { volumeWarnings } from "../spec/etcd/volumes.ts";
import { membersWarnings, resolveMembersProgram } from "../spec/members-program.ts";
import { authorityWarnings } from "../spec/pki/authorities-check.ts";
import { keyWarnings } from "../spec/pki/authority-keys.ts";
import { zoneWarnings } from "../spec/placement/zones.ts";
import { policyWarnings } from "../spec/policies/policies-check.ts";
import { SpecError } from "../spec/problems.ts";
import { program as programs, type Program } from "../spec/program.ts";
import { resolve } from "../spec/resolve.ts";
import { resolveRestoreProgram } from "../spec/restore-program.ts";
import { resolveSnapshotProgram } from "../spec/snapshot-program.ts";
import { signInWarnings } from "../spec/snapshots/snapshots.ts";
import { typedText } from "../spec/values/typed-text.ts";
import { parse } from "../spec/wording.ts";
import { type Fetched, fetchSources, withAddons } from "./addon-sources.ts";
import { withAdopted } from "./adopted-manifests.ts";
import type { PlaneNow } from "./adopted-plane.ts";
import { withComponentFiles } from "./component-files.ts";
import { encryptedKeys } from "./encrypted-keys.ts";
import { type JoinedPlane, joinedPlane } from "./joined-plane.ts";
import { kubeconfigFiles } from "./kubeconfigs.ts";
import { mountWarnings } from "./mount-warnings.ts";
import { kubeconfigDirectories } from "./named-files.ts";
import { namedStacks } from "./named-stacks.ts";
import { offeredTemplates } from "./offered-templates.ts";
import { plainSecrets } from "./plain-secrets.ts";
import { withPolicies } from "./policy-files.ts";
import type {
  ConfiguredAdopted,
  ConfiguredDeployment,
  ConfiguredEtcd,
  ConfiguredMembers,
  ConfiguredRestore,
  ConfiguredSnapshots,
} from "./sealed/configured.ts";
import {
  sealAdoptedProgram,
  sealDeployment,
  sealEtcdProgram,
  sealMembersProgram,
  sealRestoreProgram,
  sealSnapshotProgram,
} from "./sealed/programs.ts";
import { servedTeams } from "./served-teams.ts";
import { type StackSoFar, stackSoFar } from "./stack-so-far.ts";
import { strayKeys } from "./stray-keys.ts";

/**
 * The program of the running stack.
 *
 * @throws pulumi.RunError when there is no such program, or keys stand where none of the programs would find them
 */
export function readProgram(): Program {
  return read(({ program }, { stack }) => {
    const stray = strayKeys(stackDirectory());
    const { value, problems } = parse(programs, program, ["program"]);
    if (value === undefined || stray.problems.length > 0) throw new SpecError(stack, [...stray.problems, ...problems]);
    warnOf(stray.warnings);
    return value;
  });
}

/** What has to be fetched before the configuration can be read. */
interface Named extends Fetched {
  readonly templates?: Context["templates"];
  readonly served?: Context["served"];
  readonly stacks?: Context["stacks"];
  /** What the stack was at its last completed `up`. */
  readonly before?: StackSoFar;
}

/** What the running stack's configuration names by URL, what its charts render as, and what other stacks offer. */
export async function fetchNamed(): Promise<Named> {
  const typed = typedConfig(pulumi.runtime.allConfig(), pulumi.getProject());
  const [fetched, templates, served, stacks, before] = await Promise.all([
    fetchSources(typed, stackDirectory()),
    offeredTemplates(typed),
    servedTeams(typed),
    namedStacks(typed),
    stackSoFar(),
  ]);
  return { ...fetched, templates, served, stacks, ...(before && { before }) };
}

/** Where relative paths of the stack file start. */
const stackDirectory = (): string => pulumi.getRootDirectory() || process.cwd();

/**
 * Reads the configuration of the running stack.
 *
 * @throws pulumi.RunError that lists everything wrong with it
 */
export function readDeployment(fetched: Named = {}): ConfiguredDeployment {
  const deployment = readSecrets((typed, context) =>
    resolve(typed, {
      ...withAddons(withPolicies(withComponentFiles(context, typed), typed, fetched.templates), typed, fetched),
      ...(fetched.served && { served: fetched.served }),
      ...(fetched.stacks && { stacks: fetched.stacks }),
      ...inherited(fetched.before),
    }),
  );
  warnOf([
    ...authorityWarnings(deployment.pki, new Date()),
    ...(fetched.before ? keyWarnings(deployment.pki.authorityKeys, fetched.before.authorityKeys) : []),
    ...zoneWarnings(deployment),
    ...volumeWarnings(deployment),
    ...signInWarnings(deployment.snapshots, process.env),
    ...mountWarnings(deployment.snapshots),
    ...policyWarnings(deployment),
    ...schedulerWarnings(deployment.policies, schedulersOf(deployment.controlPlane)),
  ]);
  for (const note of addonNotes(deployment.addons)) void pulumi.log.info(note);
  return sealDeployment(deployment);
}

/**
 * Reads the configuration of a stack of members, and the control plane that they join.
 * @throws as {@link readDeployment}
 */
export async function readMembers(): Promise<{ config: ConfiguredMembers; plane: JoinedPlane }> {
  const typed = typedConfig(pulumi.runtime.allConfig(), pulumi.getProject());
  const plane = await joinedPlane(typed);
  const templates = await offeredTemplates(typed);
  const stacks = await namedStacks(typed);
  const program = readSecrets((typed, context) =>
    resolveMembersProgram(typed, {
      ...withPolicies(context, typed, templates),
      stacks,
      ...(plane && { plane: plane.offered }),
    }),
  );
  warnOf(membersWarnings(program));
  return { config: sealMembersProgram(program), plane: plane! };
}

/** Reads the configuration of a stack of an etcd by itself. @throws as {@link readDeployment} */
export async function readEtcd(): Promise<ConfiguredEtcd> {
  const before = await stackSoFar();
  const program = readSecrets((typed, context) => resolveEtcdProgram(typed, { ...context, ...inherited(before) }));
  warnOf([
    ...(before ? keyWarnings(program.pki.authorityKeys, before.authorityKeys) : []),
    ...zoneWarnings(program),
    ...volumeWarnings(program),
    ...signInWarnings(program.snapshots, process.env),
    ...mountWarnings(program.snapshots),
  ]);
  return sealEtcdProgram(program);
}

const inherited = (before: StackSoFar | undefined): Pick<Context, "deployedAs" | "programBefore"> =>
  before === undefined ? {} : { deployedAs: before.deployedAs, programBefore: before.program };

/** Reads the configuration of a stack of snapshots. @throws as {@link readDeployment} */
export const readSnapshots = (): ConfiguredSnapshots => sealSnapshotProgram(readSecrets(resolveSnapshotProgram));

/** Reads the configuration of a stack that restores. @throws as {@link readDeployment} */
export const readRestore = (): ConfiguredRestore => sealRestoreProgram(readSecrets(resolveRestoreProgram));

/**
 * Reads the configuration of a stack of a Karmada built by something else, and that Karmada's present state.
 * @throws as {@link readDeployment}
 */
export async function readAdopted(): Promise<{ config: ConfiguredAdopted; now: PlaneNow }> {
  const stacks = await namedStacks(typedConfig(pulumi.runtime.allConfig(), pulumi.getProject()));
  const program = readSecrets((typed, context) =>
    resolveAdoptedProgram(typed, { ...withAdopted(context, typed), stacks }),
  );
  const { adoptedPlane } = await import("./adopted-plane.ts");
  return { config: sealAdoptedProgram(program), now: await adoptedPlane(program) };
}

/** Reads what has secrets in it, and warns of those that are not encrypted. */
const readSecrets = <T>(resolve: (typed: Readonly<Record<string, unknown>>, context: Context) => T): T =>
  read((typed, context) => {
    const value = resolve(typed, context);
    warnOfPlainSecrets(typed);
    return value;
  });

function read<T>(use: (typed: Readonly<Record<string, unknown>>, context: Context) => T): T {
  const typed = typedConfig(pulumi.runtime.allConfig(), pulumi.getProject());
  try {
    return use(typed, contextOf(typed));
  } catch (error) {
    throw error instanceof SpecError ? new pulumi.RunError(error.message) : error;
  }
}

/** Shows what the operator should know of, but nothing has to stop for. */
function warnOf(warnings: readonly string[]): void {
  for (const warning of warnings) void pulumi.log.warn(warning);
}

function warnOfPlainSecrets(typed: Readonly<Record<string, unknown>>): void {
  const project = pulumi.getProject();
  const example = (path: string) =>
    `npm run pulumi -- config set --secret --path '${project}:${path}' --stack ${pulumi.getStack()} < FILE`;
  const paths = plainSecrets(typed, encryptedKeys());
  warnOf(
    paths.map((path) => `${path}: stands in clear in the stack file and in the state\nencrypt it: ${example(path)}`),
  );
}

/**
 * The configuration as the operator typed it, by key without the project's name. Pulumi passes each key as text,
 * decrypted: objects, numbers and booleans as JSON.
 */
export function typedConfig(all: Readonly<Record<string, string>>, project: string): Record<string, unknown> {
  const own = Object.entries(all).filter(([key]) => key.startsWith(`${project}:`));
  return Object.fromEntries(
    own.map(([key, value]) => {
      const name = key.slice(project.length + 1);
      return [name, typedText(name, value)];
    }),
  );
}

function contextOf(typed: Readonly<Record<string, unknown>>): Context {
  const directory = stackDirectory();
  const directories = kubeconfigDirectories(typed, directory);
  return {
    stack: pulumi.getStack(),
    directory,
    home: homedir(),
    stateHome: process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"),
    directories,
    files: kubeconfigFiles(typed, directory, directories),
  };
}
