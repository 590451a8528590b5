import { resolve } from "../../../spec/resolve.ts";
import { resolveSnapshotProgram } from "../../../spec/snapshot-program.ts";
import { signInWarnings } from "../../../spec/snapshots/snapshots.ts";
import { context, problemsIn, problemsOf } from "../configuration.ts";

const local = { kind: "local", directory: "/backup" };
const s3 = { kind: "s3", bucket: "karmada-backup", endpoint: "http://127.0.0.1:7070" };
const problems = (snapshots: object) => problemsOf({ snapshots });

test("without a word about them there are no targets and no schedule", () => {
  expect(resolve({}, context).snapshots).toEqual({
    targets: [],
    keep: { last: 24, hourly: 24, daily: 7, weekly: 5 },
    beforeChange: "required",
    verify: "status",
    encryption: { kind: "none" },
  });
});

test("a target of S3 signs in as AWS's tools do, in the usual region", () => {
  expect(resolve({ snapshots: { targets: [local, s3] } }, context).snapshots.targets[1]).toEqual({
    ...s3,
    region: "us-east-1",
    credentials: { kind: "environment" },
  });
});

test("a bucket that is signed in to by variables is warned of with a schedule, whose program has none", () => {
  const keys = { ...s3, bucket: "other", credentials: { kind: "keys", accessKeyId: "me", secretAccessKey: "s3cr3t" } };
  const warnings = (more: object, variables: Record<string, string>) =>
    signInWarnings(resolve({ snapshots: { targets: [local, s3, keys], ...more } }, context).snapshots, variables);
  const schedule = { cron: "0 * * * *" };
  expect(warnings({ schedule }, { AWS_ACCESS_KEY_ID: "me" })).toEqual([
    'snapshots.targets[1].credentials: AWS_ACCESS_KEY_ID is set here, and what takes snapshots by the clock has no variables of yours\nwant kind "keys" or "file", unless the role of its machine, or ~/.aws on this one, serves as well',
  ]);
  expect(warnings({}, { AWS_ACCESS_KEY_ID: "me" })).toEqual([]);
  expect(warnings({ schedule }, {})).toEqual([]);
});

test("a key file is looked for beside the stack file", () => {
  const encryption = { kind: "key-file", path: "keys/snapshots" };
  expect(resolve({ snapshots: { encryption } }, context).snapshots.encryption).toEqual({
    kind: "key-file",
    path: "/project/keys/snapshots",
  });
});

test("a retention of zero would delete every snapshot", () => {
  expect(problems({ keep: { last: 0 } })).toEqual(["snapshots.keep.last: got 0, want a whole number of at least 1"]);
});

test.each([
  ["every hour", 'got "every hour", want a schedule of five fields such as "15 * * * *"'],
  ["60 * * * *", 'got "60 * * * *", want a schedule of five fields such as "15 * * * *"'],
  ["0 0 0 * * *", 'got "0 0 0 * * *", want a schedule of five fields such as "15 * * * *"'],
  ["0 0 31 2 *", 'got "0 0 31 2 *", which never comes'],
])("the schedule %p is refused", (cron, message) => {
  expect(problems({ targets: [local], schedule: { cron } })).toEqual([`snapshots.schedule.cron: ${message}`]);
});

test.each(["15 * * * *", "*/10 2-5 * * 1,3", "0 4 * * SUN"])("the schedule %p is accepted", (cron) => {
  expect(problems({ targets: [local], schedule: { cron } })).toEqual([]);
});

test("a schedule has a weekly restore on trial, and stops nothing unless it is to", () => {
  const { schedule } = resolve({ snapshots: { targets: [local], schedule: { cron: "0 * * * *" } } }, context).snapshots;
  expect(schedule).toEqual({ cron: "0 * * * *", jitter: "1m", drill: "0 4 * * 0", gate: false, resources: {} });
});

test("what is taken by a schedule is encrypted with a key from a file, and measured into a file of the collector", () => {
  const schedule = { cron: "0 * * * *", drill: "weekly", metricsFile: "/var/lib/node_exporter/backup.txt" };
  const encryption = { kind: "environment", variable: "KEY" };
  expect(problems({ targets: [local], schedule })).toEqual([
    'snapshots.schedule.drill: got "weekly", want a schedule of five fields such as "15 * * * *"',
    'snapshots.schedule.metricsFile: got "/var/lib/node_exporter/backup.txt", want an absolute path that ends in .prom',
  ]);
  expect(problems({ targets: [local], schedule: { cron: "0 * * * *" }, encryption })).toEqual([
    'snapshots.encryption.kind: got "environment", want "key-file" with a schedule: snapshots are then taken without a terminal',
  ]);
});

test("a schedule needs a target", () => {
  expect(problems({ schedule: { cron: "0 * * * *" } })).toEqual([
    "snapshots.schedule: there is a schedule, but no target to keep snapshots in",
  ]);
});

test.each([
  ["/data/prod", "/data/prod"],
  ["/data/prod", "/data/prod/backup"],
])("with the deployment in %s, a target %s would be lost together with it", (directory, target) => {
  const config = {
    placement: { kind: "local", directory },
    snapshots: { targets: [{ kind: "local", directory: target }] },
  };
  expect(problemsOf(config)).toEqual([
    `snapshots.targets[0].directory: got "${target}", which is inside the deployment's own directory ${directory}: both would be lost together, want one on another disk`,
  ]);
});

test("a directory that only begins alike is another one", () => {
  const targets = [{ kind: "local", directory: "/data/prod-backup" }];
  expect(problemsOf({ placement: { kind: "local", directory: "/data/prod" }, snapshots: { targets } })).toEqual([]);
});

test("everything wrong with targets is said at once, secrets are not repeated", () => {
  const targets = [
    { kind: "local", directory: "backup" },
    { kind: "s3", bucket: "Backup", endpoint: "s3.example.org", credentials: { kind: "keys", accessKeyId: "a" } },
    { ...s3, kmsKeyId: "k" },
    s3,
    { kind: "ftp" },
  ];
  expect(problems({ targets })).toEqual([
    'snapshots.targets[0].directory: got "backup", want an absolute path',
    'snapshots.targets[1].bucket: got "Backup", want the name of a bucket such as "karmada-backup"',
    'snapshots.targets[1].endpoint: got "s3.example.org", want an address such as "https://s3.example.org"',
    "snapshots.targets[1].credentials.secretAccessKey: missing, want a secret access key",
    'snapshots.targets[4].kind: got "ftp", want "local", "nfs", "cephfs" or "s3"',
  ]);
});

test("rules between fields of targets", () => {
  expect(problems({ targets: [s3, { ...s3, kmsKeyId: "k" }] })).toEqual([
    "snapshots.targets[1]: is the same place as targets[0]",
    'snapshots.targets[1].kmsKeyId: got a key, want serverSideEncryption: "aws:kms" with it',
  ]);
});

describe("a stack of snapshots", () => {
  const source = { kind: "stack", stack: "prod" };
  const snapshots = { targets: [local] };
  const wrong = (config: object) =>
    problemsIn(() => resolveSnapshotProgram({ program: "snapshots", ...config }, context));

  test("names a deployment, targets and the snapshots to have", () => {
    const program = resolveSnapshotProgram(
      { program: "snapshots", source, snapshots, take: [{ name: "before-1-18", triggers: { ticket: 4711 } }] },
      context,
    );
    expect(program).toMatchObject({
      source,
      take: [{ name: "before-1-18", triggers: { ticket: 4711 }, onDelete: "keep" }],
    });
  });

  test("without a deployment or a target there is nothing to do", () => {
    expect(wrong({})).toEqual([
      "source: missing, want an object",
      "snapshots.targets: got none, want at least one place for the snapshots",
    ]);
  });

  test("a schedule, a key of another program and a name given twice are refused", () => {
    const schedule = { cron: "0 * * * *" };
    const take = [{ name: "a" }, { name: "a" }];
    expect(wrong({ source, snapshots: { ...snapshots, schedule }, take, sample: true })).toEqual([
      "sample: unknown key, want one of program, source, snapshots, take, versions",
      "snapshots.schedule: belongs into the stack of the deployment, it runs where etcd runs",
      'take[1].name: got "a" a second time, want another name',
    ]);
  });
});
