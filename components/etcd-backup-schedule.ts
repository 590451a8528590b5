import * as pulumi from "@pulumi/pulumi";
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { scratchName } from "../lib/backup/scratch.ts";
import { placeOf, type StatusAddress, statusOnce } from "../lib/backup/status-at.ts";
import { assess, readStatus, type BackupStatus } from "../lib/backup/status.ts";
import { profileIn } from "../lib/snapshots/aws-profile.ts";
import { partDeployment } from "../lib/snapshots/manifest.ts";
import { messageOf } from "../lib/wait.ts";
import { EtcdBackupStatus } from "../providers/etcd-backup-status.ts";
import type { Deployment } from "../spec/deployment.ts";
import { seconds } from "../spec/values/units.ts";
import type { Versions } from "../spec/versions.ts";
import { allMembers, type EtcdPlan, overridesOf } from "./etcd-plan.ts";
import { innerUrls } from "./etcd-reach.ts";
import type { Ground } from "./placed.ts";
import type { FileContents } from "./placement.ts";
import { data, type Process } from "./process.ts";
import { backupFiles, backupPaths, etcdBackupProcess } from "./processes/etcd-backup.ts";

type Settings = Pick<Deployment<pulumi.Output<string>>, "name" | "snapshots"> & {
  /** An etcd by itself has no version of Karmada. */
  readonly versions: Pick<Versions, "etcd"> & Partial<Pick<Versions, "karmada">>;
};

/** State of the backups at the time of the run. */
export interface BackupState {
  /** When snapshots are taken, in UTC. */
  readonly schedule: string;
  /** RFC 3339; of the newest snapshot. */
  readonly lastSuccess?: string;
  /** Revision of etcd in it. */
  readonly lastRevision?: string;
  readonly ageSeconds?: number;
  /** What is wrong, if anything. */
  readonly problem?: string;
  /** The file that monitoring can read. */
  readonly statusFile: string;
}

/** The program of the schedule; undefined when nothing is scheduled. */
export function planBackups({ name, versions, snapshots }: Settings, etcd: EtcdPlan): Process | undefined {
  const { schedule, targets, scratch } = snapshots;
  if (schedule === undefined) return undefined;
  const own = [name, ...overridesOf(etcd).map((part) => partDeployment(name, part.name))];
  const directories = targets.flatMap((target) => {
    if (target.kind === "s3") return [];
    const { directory: path } = target;
    return [{ path, own, ...(target.kind !== "local" && inMount(target)) }];
  });
  const { metricsFile } = schedule;
  const collector = metricsFile === undefined ? [] : [{ path: dirname(metricsFile), files: [basename(metricsFile)] }];
  const room = scratch === undefined ? [] : [{ path: scratch, own: [scratchName(name)] }];
  return etcdBackupProcess(etcd.connection, versions.etcd, [...directories, ...collector, ...room], schedule.resources);
}

const inMount = ({ volume }: { readonly volume?: Held | undefined }) => ({ network: true, ...(volume && { volume }) });

type Held = NonNullable<NonNullable<Process["writes"]>[number]["volume"]>;

/** What takes the snapshots, and from where. */
export interface EtcdBackupScheduleArgs {
  readonly process: Process;
  readonly deployment: Settings;
  /** Versions that are refused to change while backups fail, where `schedule.gate` is set. */
  readonly gated: Readonly<Record<string, string>>;
  readonly etcd: EtcdPlan;
  /** Once it exists, there is something to take snapshots of. */
  readonly ready: pulumi.Resource;
  readonly ground: Ground;
}

/**
 * Scheduled snapshots, taken by a program that runs where etcd runs and needs no pulumi. It is created once the first
 * snapshot exists. Deleting it ends the program; the snapshots stay.
 */
export class EtcdBackupSchedule extends pulumi.ComponentResource {
  readonly state: pulumi.Output<BackupState>;
  readonly versions: Readonly<Record<string, pulumi.Output<string>>>;

  constructor(name: string, args: EtcdBackupScheduleArgs, opts: pulumi.ComponentResourceOptions) {
    super("karmada:etcd:EtcdBackupSchedule", name, {}, opts);
    const { process, deployment, ground } = args;
    const { placement, pki } = ground;
    const { schedule } = deployment.snapshots;
    if (schedule === undefined) throw new Error(`${name}: nothing is scheduled`);
    const host = placement.hostOf?.(process);
    const pod = placement.podOf?.(process);
    const files = {
      ...pki.fileContents(process),
      ...((host ?? pod) && broughtKeys(deployment.snapshots)),
      [backupFiles.settings]: settingsText(args),
    };
    const { resource, version } = placement.place(process, files, { parent: this, dependsOn: [args.ready] });
    const status = new EtcdBackupStatus(
      `${name}-status`,
      {
        path: placement.text(process, backupPaths.status),
        ...(host && { host }),
        ...(pod && { pod }),
        versions: args.gated,
        gate: schedule.gate,
        timeoutSeconds: firstBackupSeconds,
      },
      { parent: this, dependsOn: [resource] },
    );
    this.state = asOfTheRun(
      host === undefined && pod === undefined
        ? status.path.apply((path) => this.tell(schedule.cron, path, readStatus(path)))
        : pulumi.unsecret(
            pulumi.all([status.path, host, pod]).apply(([path, host, pod]) => {
              const away = { path, ...(host && { host }), ...(pod && { pod }) };
              return this.ask(schedule.cron, away);
            }),
          ),
    );
    this.versions = { [process.name]: version };
    this.registerOutputs({});
  }

  private async ask(schedule: string, address: StatusAddress): Promise<BackupState> {
    const statusFile = placeOf(address);
    try {
      return this.tell(schedule, statusFile, await statusOnce(address));
    } catch (error) {
      const problem = `${address.path} cannot be read: ${messageOf(error)}`;
      void pulumi.log.warn(`backups: ${problem}`, this);
      return { schedule, problem, statusFile };
    }
  }

  /** As of each run of the program, not kept in the state: an age there would be a difference every time. */
  private tell(schedule: string, statusFile: string, status: BackupStatus | undefined): BackupState {
    if (status === undefined) return { schedule, statusFile };
    const { ageSeconds, problems } = assess(status, new Date());
    for (const problem of problems) void pulumi.log.warn(`backups: ${problem}`, this);
    return {
      schedule,
      ...(status.lastSuccess && { lastSuccess: status.lastSuccess.at, lastRevision: status.lastSuccess.revision }),
      ...(ageSeconds !== undefined && { ageSeconds: Math.round(ageSeconds) }),
      ...(problems.length > 0 && { problem: problems.join("; ") }),
      statusFile,
    };
  }
}

/**
 * Unknown in a preview, as it is another one a while later: an `up` with a saved plan (`--plan`) fails after its last
 * step where an output is not as it was foretold, and says nothing of it (pulumi 3.259, deployment_executor.go).
 */
const asOfTheRun = <T>(state: pulumi.Output<T>): pulumi.Output<T> =>
  state.apply((known) => (pulumi.runtime.isDryRun() ? (pulumi.unknown as unknown as T) : known));

/** A backup of 8 GB takes about two minutes; one that takes longer continues, but is not waited for. */
const firstBackupSeconds = 120;

/** Keys are read where the program runs: if that is not this machine, they are among the program's files. */
function broughtKeys({ encryption, targets }: Settings["snapshots"]): FileContents {
  const logins = targets.flatMap((target, i) => {
    if (target.kind !== "s3" || target.credentials.kind !== "file") return [];
    const { path, profile } = target.credentials;
    return [[backupFiles.login(i), loginOf(path, profile, `snapshots.targets[${i}].credentials`)] as const];
  });
  return {
    ...(encryption.kind === "key-file" && {
      [backupFiles.encryptionKey]: pulumi.secret(readFileSync(encryption.path, "utf8")),
    }),
    ...Object.fromEntries(logins),
  };
}

function loginOf(path: string, profile: string, field: string): pulumi.Output<string> {
  try {
    return pulumi.secret(profileIn(readFileSync(path, "utf8"), profile));
  } catch (error) {
    throw new pulumi.RunError(`${field}: reading ${path} of this machine: ${messageOf(error)}`);
  }
}

/** What lib/backup/settings.ts reads. */
function settingsText({ process, deployment, etcd, ground }: EtcdBackupScheduleArgs) {
  const { placement } = ground;
  const path = (key: Exclude<keyof typeof backupPaths, "login">) => placement.text(process, backupPaths[key]);
  const isElsewhere = (placement.hostOf ?? placement.podOf) !== undefined;
  const program = (name: string) => placement.executable({ name, version: deployment.versions.etcd }, process);
  const { targets, encryption, verify, keep, schedule, scratch } = deployment.snapshots;
  return pulumi.jsonStringify({
    deployment: deployment.name,
    karmadaVersion: deployment.versions.karmada ?? "",
    etcd: {
      endpoints: innerUrls(etcd, ground),
      parts: overridesOf(etcd).map((part) => ({ name: part.name, endpoints: innerUrls(part, ground) })),
      ca: path("ca"),
      certificate: path("certificate"),
      key: path("key"),
      prefix: etcd.connection.prefix,
    },
    targets: targets.map((target, i) => {
      if (target.kind === "nfs" || target.kind === "cephfs") return { kind: target.kind, directory: target.directory };
      return isElsewhere && target.kind === "s3" && target.credentials.kind === "file"
        ? { ...target, credentials: { ...target.credentials, path: placement.text(process, backupPaths.login(i)) } }
        : target;
    }),
    encryption:
      encryption.kind === "key-file" && isElsewhere ? { ...encryption, path: path("encryptionKey") } : encryption,
    verify,
    schedule: { cron: schedule?.cron, jitterSeconds: seconds(schedule?.jitter ?? "1m"), drill: schedule?.drill },
    keep,
    programs: { etcd: program("etcd"), etcdutl: program("etcdutl") },
    apartFrom: allMembers(etcd).map((member) => placement.text(member, [data()])),
    directory: path("directory"),
    scratch,
    metricsFile: schedule?.metricsFile,
    listen: { address: path("listen"), port: placement.port(process.name, "http") },
  });
}
