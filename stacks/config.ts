import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve as absolute } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { Context } from "../spec/context.ts";
import type { Deployment, HostsPlacement, KubernetesPlacement } from "../spec/deployment.ts";
import { allMembers } from "../spec/member-groups.ts";
import { SpecError } from "../spec/problems.ts";
import { program as programs, type Program } from "../spec/program.ts";
import { resolve } from "../spec/resolve.ts";
import { resolveRestoreProgram, type RestoreProgram } from "../spec/restore-program.ts";
import { resolveSnapshotProgram, type SnapshotProgram } from "../spec/snapshot-program.ts";
import { parse } from "../spec/wording.ts";
import { zoneWarnings } from "../spec/zones.ts";
import { plainSecrets } from "./plain-secrets.ts";

/** A deployment whose secrets are Pulumi secrets; everything else is plain, so programs can decide by it. */
export type ConfiguredDeployment = Deployment<pulumi.Output<string>>;

/** The snapshots of a deployment, their secrets as Pulumi secrets. */
export type ConfiguredSnapshots = SnapshotProgram<pulumi.Output<string>>;

/** What is to be restored, its secrets as Pulumi secrets. */
export type ConfiguredRestore = RestoreProgram<pulumi.Output<string>>;

/**
 * Which program the stack that runs is.
 *
 * @throws pulumi.RunError when there is no such program
 */
export function readProgram(): Program {
  return read(({ program }, { stack }) => {
    const { value, problems } = parse(programs, program, ["program"]);
    if (value === undefined) throw new SpecError(stack, problems);
    return value;
  });
}

/**
 * Reads the configuration of the stack that runs.
 *
 * @throws pulumi.RunError that lists everything wrong with it
 */
export function readDeployment(): ConfiguredDeployment {
  const deployment = readSecrets(resolve);
  for (const warning of zoneWarnings(deployment)) void pulumi.log.warn(warning);
  return sealed(deployment);
}

/** The same of a stack of snapshots. */
export const readSnapshots = (): ConfiguredSnapshots => sealedSnapshots(readSecrets(resolveSnapshotProgram));

/** The same of a stack that restores. */
export const readRestore = (): ConfiguredRestore => sealedRestoring(readSecrets(resolveRestoreProgram));

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

function warnOfPlainSecrets(typed: Readonly<Record<string, unknown>>): void {
  const project = pulumi.getProject();
  // Set by the language host; the SDK keeps its own access to it for itself.
  const keys = JSON.parse(process.env.PULUMI_CONFIG_SECRET_KEYS || "[]") as string[];
  const encrypted = new Set(keys.map((key) => key.slice(project.length + 1)));
  const example = (path: string) => `pulumi config set --secret --path '${project}:${path}' -- "$(cat FILE)"`;
  for (const path of plainSecrets(typed, encrypted))
    void pulumi.log.warn(`${path}: stands in clear in the stack file and in the state\nencrypt it: ${example(path)}`);
}

/**
 * The configuration as the operator typed it, by key without the project's name. Pulumi hands over each key as text,
 * decrypted: objects, numbers and truth values as JSON.
 */
export function typedConfig(all: Readonly<Record<string, string>>, project: string): Record<string, unknown> {
  const own = Object.entries(all).filter(([key]) => key.startsWith(`${project}:`));
  return Object.fromEntries(
    own.map(([key, value]) => {
      const name = key.slice(project.length + 1);
      return [name, textKeys.has(name) ? value : parsed(value)];
    }),
  );
}

/** Keys that hold a single text: `name: 123` is a name, not a number. */
const textKeys: ReadonlySet<string> = new Set(["program", "name"]);

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value; // text where something else is wanted: the checks say so
  }
}

function contextOf(typed: Readonly<Record<string, unknown>>): Context {
  const directory = pulumi.getRootDirectory() || process.cwd();
  const directories = kubeconfigDirectories(typed, directory);
  return {
    stack: pulumi.getStack(),
    directory,
    home: homedir(),
    stateHome: process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"),
    directories,
    files: kubeconfigFiles({ ...typed, members: allMembers(typed, directories).members }, directory),
  };
}

/** The kubeconfig files that members and the placement name, by path as typed. */
function kubeconfigFiles(
  { members, placement }: Readonly<Record<string, unknown>>,
  directory: string,
): NonNullable<Context["files"]> {
  const entries = [placement, ...(Array.isArray(members) ? members : [])] as (
    { credentials?: { path?: unknown } } | null | undefined
  )[];
  const paths = entries.map((entry) => entry?.credentials?.path).filter((path) => typeof path === "string");
  return Object.fromEntries(paths.map((path) => [path, fileContent(path, directory)]));
}

/** The directories of kubeconfigs that groups name, by path as typed. */
function kubeconfigDirectories(
  { memberGroups }: Readonly<Record<string, unknown>>,
  directory: string,
): NonNullable<Context["directories"]> {
  const groups = (Array.isArray(memberGroups) ? memberGroups : []) as ({ directory?: unknown } | null)[];
  const paths = groups.map((group) => group?.directory).filter((path) => typeof path === "string");
  return Object.fromEntries(paths.map((path) => [path, filesIn(path, directory)]));
}

function filesIn(path: string, directory: string): { files: string[] } | { error: string } {
  return reading(path, directory, "directory", (full) => {
    const entries = readdirSync(full, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith("."));
    return { files: files.map(({ name }) => name).sort() };
  });
}

const fileContent = (path: string, directory: string): { text: string } | { error: string } =>
  reading(path, directory, "file", (full) => ({ text: readFileSync(full, "utf8") }));

function reading<T>(path: string, directory: string, what: string, read: (full: string) => T): T | { error: string } {
  const full = path.startsWith("~/") ? join(homedir(), path.slice(2)) : absolute(directory, path);
  try {
    return read(full);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? `there is no such ${what}` : `it cannot be read (${code})`;
    return { error: `got "${path}", but ${reason}: ${full}` };
  }
}

/** Turns the texts that are secret into Pulumi secrets; the type holds that none is forgotten. */
function sealed({ placement, etcd, members, snapshots, ...plain }: Deployment): ConfiguredDeployment {
  return {
    ...plain,
    placement: sealedPlacement(placement),
    etcd: sealedEtcd(etcd),
    members: members.map(({ credentials, ...member }) => ({
      ...member,
      credentials:
        credentials.kind === "kubeconfig"
          ? { ...credentials, kubeconfig: pulumi.secret(credentials.kubeconfig) }
          : credentials,
    })),
    snapshots: sealedTargets(snapshots),
  };
}

function sealedPlacement(placement: Deployment["placement"]): ConfiguredDeployment["placement"] {
  switch (placement.kind) {
    case "local":
      return placement;
    case "hosts":
      return sealedHosts(placement);
    case "kubernetes":
      return sealedKubernetes(placement);
  }
}

function sealedKubernetes(placement: KubernetesPlacement): KubernetesPlacement<pulumi.Output<string>> {
  const { credentials, images, ...plain } = placement;
  const { login, ...named } = images;
  return {
    ...plain,
    credentials: { ...credentials, kubeconfig: pulumi.secret(credentials.kubeconfig) },
    images: { ...named, ...(login !== undefined && { login: pulumi.secret(login) }) },
  };
}

function sealedHosts({ hosts, hooks, ...plain }: HostsPlacement): HostsPlacement<pulumi.Output<string>> {
  return {
    ...plain,
    hooks: hooks.map(({ environment, ...hook }) => ({
      ...hook,
      environment: Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, pulumi.secret(value)])),
    })),
    hosts: hosts.map(({ login, ...host }) => ({
      ...host,
      login:
        login.kind === "local"
          ? login
          : { ...sealedLogin(login), through: login.through.map((jump) => sealedLogin(jump)) },
    })),
  };
}

type Credentials = { readonly [K in "privateKey" | "passphrase" | "password"]?: string };

function sealedLogin<T extends Credentials>({ privateKey, passphrase, password, ...plain }: T) {
  return {
    ...plain,
    ...(privateKey !== undefined && { privateKey: pulumi.secret(privateKey) }),
    ...(passphrase !== undefined && { passphrase: pulumi.secret(passphrase) }),
    ...(password !== undefined && { password: pulumi.secret(password) }),
  };
}

function sealedEtcd(etcd: Deployment["etcd"]): ConfiguredDeployment["etcd"] {
  if (etcd.kind === "external") return { ...etcd, key: pulumi.secret(etcd.key) };
  const { restore, ...plain } = etcd;
  return { ...plain, ...(restore && { restore: sealedRestore(restore) }) };
}

function sealedSnapshots({ source, snapshots, ...plain }: SnapshotProgram): ConfiguredSnapshots {
  return {
    ...plain,
    source: source.kind === "endpoints" ? { ...source, key: pulumi.secret(source.key) } : source,
    snapshots: sealedTargets(snapshots),
  };
}

function sealedRestoring({ restore, snapshots, ...plain }: RestoreProgram): ConfiguredRestore {
  return { ...plain, restore: sealedRestore(restore), snapshots: sealedTargets(snapshots) };
}

function sealedRestore({ source, ...plain }: RestoreProgram["restore"]): ConfiguredRestore["restore"] {
  if (source.kind !== "snapshot") return { ...plain, source };
  const { target, ...rest } = source;
  return { ...plain, source: { ...rest, ...(target && { target: sealedTarget(target) }) } };
}

function sealedTargets({ targets, ...plain }: Deployment["snapshots"]): ConfiguredDeployment["snapshots"] {
  return { ...plain, targets: targets.map(sealedTarget) };
}

type Target<Secret> = Deployment<Secret>["snapshots"]["targets"][number];

function sealedTarget(target: Target<string>): Target<pulumi.Output<string>> {
  if (target.kind !== "s3") return target;
  const { credentials, ...plain } = target;
  if (credentials.kind !== "keys") return { ...plain, credentials };
  return { ...plain, credentials: { ...credentials, secretAccessKey: pulumi.secret(credentials.secretAccessKey) } };
}
