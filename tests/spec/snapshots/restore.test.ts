import { resolve } from "../../../spec/resolve.ts";
import { resolveRestoreProgram } from "../../../spec/restore-program.ts";
import { context, problemsIn, problemsOf } from "../configuration.ts";

const targets = [{ kind: "local", directory: "/backup" }];
const managed = (restore: object) => ({ kind: "managed", restore });

test("a restore needs a number and the ID of what may go; everything else has a default", () => {
  const { etcd } = resolve(
    { etcd: managed({ generation: 1, replaceClusterId: "none" }), snapshots: { targets } },
    context,
  );
  expect(etcd).toMatchObject({
    restore: {
      generation: 1,
      source: { kind: "snapshot", id: "latest" },
      replaceClusterId: "none",
      overwriteHealthy: false,
      allowForeignSnapshot: false,
      removeOrphans: false,
    },
  });
});

test("a snapshot is read with the key that snapshots are encrypted with, or with one of its own", () => {
  const key = { kind: "key-file", path: "keys/snapshots" };
  const restoring = (source: object) => ({ generation: 1, replaceClusterId: "none", source });
  const own = { kind: "snapshot", target: targets[0], encryption: key };
  const resolved = { source: { encryption: { kind: "key-file", path: `${context.directory}/keys/snapshots` } } };
  const of = (source: object) => resolve({ etcd: managed(restoring(source)), snapshots: { encryption: key } }, context);
  expect(of({ kind: "snapshot", target: targets[0] }).etcd).not.toHaveProperty("restore.source.encryption");
  expect(of(own).etcd).toMatchObject({ restore: resolved });
  expect(
    resolveRestoreProgram({ program: "restore", deployment: "prod", restore: restoring(own) }, context),
  ).toMatchObject({ restore: resolved });
});

test("what is missing or cannot be is said by name", () => {
  expect(problemsOf({ etcd: managed({}) })).toEqual([
    "etcd.restore.generation: missing, want a whole number from 1 to 1000000",
    'etcd.restore.replaceClusterId: missing, want the ID of the etcd cluster whose data may go, in quotes, or "none" where there are none',
  ]);
  expect(problemsOf({ etcd: managed({ generation: 0, replaceClusterId: 92, sha256: "abc" }) })).toEqual([
    "etcd.restore.generation: got 0, want a whole number from 1 to 1000000",
    'etcd.restore.sha256: got "abc", want a SHA-256 digest in 64 hexadecimal digits',
    'etcd.restore.replaceClusterId: got 92, want the ID of the etcd cluster whose data may go, in quotes, or "none" where there are none',
  ]);
});

test("a source is somewhere, and a member is one of the members", () => {
  const of = (source: object) => ({ etcd: managed({ generation: 1, replaceClusterId: "none", source }) });
  expect(problemsOf(of({ kind: "snapshot" }))).toEqual([
    "etcd.restore.source.target: missing, and snapshots.targets names none either: say where the snapshot is",
  ]);
  expect(problemsOf(of({ kind: "snapshot", target: targets[0] }))).toEqual([]);
  expect(problemsOf(of({ kind: "member", member: "etcd-7" }))).toEqual([
    'etcd.restore.source.member: got "etcd-7", want one of etcd-0, etcd-1, etcd-2',
  ]);
  expect(problemsOf(of({ kind: "file", path: "here.db" }))).toEqual([
    'etcd.restore.source.path: got "here.db", want an absolute path',
  ]);
});

describe("a stack that only restores", () => {
  const problems = (config: object) => problemsIn(() => resolveRestoreProgram(config, context));

  test("a volume is refused in what is restored, since nothing mounts it there", () => {
    const volume = { persistentVolume: "backup" };
    const snapshots = { targets: [{ kind: "nfs", directory: "/mnt/backup", volume }] };
    expect(
      problems({
        program: "restore",
        deployment: "prod",
        restore: { generation: 1, replaceClusterId: "none" },
        snapshots,
      }),
    ).toEqual([
      'snapshots.targets[0].volume: got one, want none: only the pod that takes scheduled snapshots with placement.kind "kubernetes" mounts it',
    ]);
    const source = { kind: "snapshot", target: snapshots.targets[0] };
    const restore = { generation: 1, replaceClusterId: "none", source };
    const refused = (path: string) => [expect.stringMatching(`^${path}.source.target.volume: got one, want none: `)];
    expect(problems({ program: "restore", deployment: "prod", restore })).toEqual(refused("restore"));
    expect(problemsOf({ etcd: { kind: "managed", restore } })).toEqual(refused("etcd.restore"));
  });
  const restore = { generation: 1, replaceClusterId: "abc", source: { kind: "snapshot", target: targets[0] } };

  test("names the deployment's stack and what to restore", () => {
    const resolved = resolveRestoreProgram({ program: "restore", deployment: "prod", restore }, context);
    expect(resolved).toMatchObject({ deployment: "prod", restore });
  });

  test("says what it lacks, and what belongs elsewhere", () => {
    const nowhere = { generation: 1, replaceClusterId: "abc" };
    expect(problems({ program: "restore", restore: nowhere, members: [] })).toEqual([
      "members: unknown key, want one of program, deployment, restore, snapshots",
      'deployment: missing, want the name of a stack such as "prod" or "organization/karmada/prod"',
      "restore.source.target: missing, and snapshots.targets names none either: say where the snapshot is",
    ]);
  });
});
