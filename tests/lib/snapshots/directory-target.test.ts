import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DirectoryTarget } from "../../../lib/snapshots/directory-target.ts";
import { fileSystems, mountOf, requireMount } from "../../../lib/snapshots/mount.ts";
import { openTarget } from "../../../lib/snapshots/open-target.ts";
import { canMount, mountTmpfs } from "../../support/mount.ts";
import { nobody, withoutNobody } from "../../support/nobody.ts";
import { bytesOf, contentOf, sampleManifest } from "./support.ts";

const base = mkdtempSync(join(tmpdir(), "snapshot-target-"));
afterAll(() => rmSync(base, { recursive: true }));

let count = 0;
const fresh = () => join(base, `target-${count++}`);

async function stored(target: DirectoryTarget, bytes: Buffer, id = "20261121T120000Z-r42-abcdef") {
  const manifest = sampleManifest(bytes, { id });
  await target.prepare(bytes.length);
  await target.put(manifest.file, contentOf(bytes));
  await target.commit(manifest);
  return manifest;
}

test("what is stored is listed, found, read and removed; only its owner can read it", async () => {
  const directory = fresh();
  const target = new DirectoryTarget({ directory });
  const bytes = randomBytes(100_000);
  const manifest = await stored(target, bytes);
  expect(await target.list()).toEqual({ snapshots: [manifest], damaged: [] });
  expect(await target.head(manifest.id)).toEqual({ manifest });
  expect((await bytesOf(await target.get(manifest.file))).equals(bytes)).toBe(true);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, manifest.file)).mode & 0o777).toBe(0o600);
  await target.remove(manifest.id);
  await target.remove(manifest.id);
  expect(readdirSync(directory)).toEqual([]);
  expect(await target.head(manifest.id)).toBeUndefined();
});

test("a manifest that cannot be read now is no damaged one, and says which file it is", async () => {
  const directory = fresh();
  const target = new DirectoryTarget({ directory });
  const { id } = await stored(target, randomBytes(1000));
  rmSync(join(directory, `${id}.json`));
  // Reading it is an I/O error.
  symlinkSync("/proc/self/mem", join(directory, `${id}.json`));
  const unreachable = { fault: "unreachable", message: expect.stringContaining(`${target.uri}: reading ${id}.json: `) };
  await expect(target.list()).rejects.toMatchObject(unreachable);
  await expect(target.head(id)).rejects.toMatchObject(unreachable);
});

test("an empty or missing directory holds no snapshots", async () => {
  expect(await new DirectoryTarget({ directory: fresh() }).list()).toEqual({ snapshots: [], damaged: [] });
});

test("data without manifest, a manifest without data, one cut short and one that is not JSON are damaged, not snapshots", async () => {
  const directory = fresh();
  const target = new DirectoryTarget({ directory });
  const ids = [1, 2, 3, 4].map((i) => `20261121T12000${i}Z-r42-abcdef`);
  for (const id of ids) await stored(target, randomBytes(1000), id);
  rmSync(join(directory, `${ids[0]}.json`));
  rmSync(join(directory, `${ids[1]}.db`));
  truncateSync(join(directory, `${ids[2]}.db`), 512);
  writeFileSync(join(directory, `${ids[3]}.json`), "{");
  writeFileSync(join(directory, "notes.txt"), "of somebody else");
  const { snapshots, damaged } = await target.list();
  expect(snapshots).toEqual([]);
  expect(damaged.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
    { id: ids[0], problem: "its manifest is missing" },
    { id: ids[1], problem: "its data are missing" },
    { id: ids[2], problem: "its data have 512 bytes, want 1000" },
    { id: ids[3], problem: expect.stringContaining("the manifest is not as it must be") as string },
  ]);
});

test("content that breaks off leaves nothing, and its own error is what is thrown", async () => {
  const directory = fresh();
  const target = new DirectoryTarget({ directory });
  async function* broken() {
    yield Buffer.alloc(10_000);
    throw new Error("the member is gone");
  }
  await target.prepare(0);
  await expect(target.put("a.db", broken())).rejects.toThrow(/^the member is gone$/);
  expect(readdirSync(directory)).toEqual([]);
});

test("what a killed run left half-written is swept away after an hour, what is under way is not", async () => {
  const directory = fresh();
  mkdirSync(directory);
  const old = new Date(Date.now() - 2 * 3600_000);
  const abandoned = ["old.db.part", "old.unfinished", "stored.db", "stored.unfinished", "kept.unfinished"];
  const underWay = ["long.unfinished"];
  for (const name of [...abandoned, ...underWay]) {
    writeFileSync(join(directory, name), "half");
    utimesSync(join(directory, name), old, old);
  }
  const written = ["kept.json", "long.db.part", "new.db.part", "new.unfinished", "other.db"];
  for (const name of written) writeFileSync(join(directory, name), "half");
  utimesSync(join(directory, "kept.json"), old, old);
  await new DirectoryTarget({ directory }).prepare(0);
  expect(readdirSync(directory).sort()).toEqual([...written, ...underWay].sort());
});

test("a directory inside the data, also through a link, is refused", async () => {
  const data = fresh();
  mkdirSync(data);
  const link = fresh();
  symlinkSync(data, link);
  for (const directory of [data, join(data, "backup"), join(link, "backup")]) {
    const target = new DirectoryTarget({ directory, apartFrom: [data] });
    await expect(target.prepare(0)).rejects.toMatchObject({
      fault: "unfit",
      message: `file://${directory}: it is inside ${data}, which holds the data themselves: both would be lost together\nchoose a directory on another disk`,
    });
  }
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot("what root stores in the directory of another user is that user's, who stores there as well", async () => {
  const directory = fresh();
  const target = new DirectoryTarget({ directory, owner: 65532 });
  const { file, id } = await stored(target, randomBytes(1000));
  const owned = [directory, join(directory, file), join(directory, `${id}.json`)].map((path) => {
    const { uid, gid, mode } = statSync(path);
    return [uid, gid, mode & 0o777];
  });
  expect(owned).toEqual([
    [65532, 65532, 0o700],
    [65532, 65532, 0o600],
    [65532, 65532, 0o600],
  ]);
});

test("a user who may not give a directory away leaves none behind", async () => {
  if (withoutNobody("a directory that is another user's") !== undefined) return;
  const parent = fresh();
  mkdirSync(parent);
  chmodSync(parent, 0o777);
  chmodSync(base, 0o755);
  const directory = join(parent, "prod");
  process.seteuid!(nobody);
  try {
    // The effective user counts for the kernel, the real one is root.
    await expect(new DirectoryTarget({ directory, owner: 65532 }).prepare(0)).rejects.toMatchObject({
      fault: "denied",
      message: expect.stringMatching(
        /prod: it is for user 65532 alone, .*\nhave user 65532 make it first, or run this as root$/,
      ),
    });
  } finally {
    process.seteuid!(0);
  }
  expect(readdirSync(parent)).toEqual([]);
});

const mountinfo = [
  "22 1 8:1 / / rw - ext4 /dev/sda1 rw",
  "23 22 0:40 / /mnt/back\\040up rw shared:1 master:2 - nfs4 server:/export rw",
  "24 22 0:41 / /mnt rw - tmpfs tmpfs rw",
].join("\n");

test.each([
  ["/backup", { point: "/", type: "ext4" }],
  ["/mnt/backup", { point: "/mnt", type: "tmpfs" }],
  ["/mnt/back up/karmada", { point: "/mnt/back up", type: "nfs4" }],
])("%s is on the nearest mount above it", (path, mount) => {
  expect(mountOf(path, mountinfo)).toEqual(mount);
});

test("an NFS or CephFS directory that is not mounted is refused before anything is written", async () => {
  const directory = fresh();
  for (const kind of ["nfs", "cephfs"] as const) {
    const mounted = () => requireMount(directory, fileSystems[kind]);
    const target = new DirectoryTarget({ directory: join(directory, "prod"), mounted });
    for (const use of [
      () => target.prepare(0),
      () => target.put("a.db", contentOf(Buffer.alloc(1))),
      () => target.list(),
    ])
      await expect(use()).rejects.toMatchObject({
        fault: "not-mounted",
        message: expect.stringMatching(
          /it is on \/.*, which is \w+, want a mount of type (nfs or nfs4|ceph or fuse)/,
        ) as string,
      });
  }
  expect(() => statSync(directory)).toThrow("ENOENT");
});

test("what only a pod has mounted is no directory of this machine: nothing is read or written, and it is said what to mount", async () => {
  const directory = fresh();
  const volume = { persistentVolume: "karmada-backup" };
  const target = await openTarget({ kind: "cephfs", directory, volume }, { deployment: "prod" });
  for (const use of [() => target.prepare(0), () => target.list()])
    await expect(use()).rejects.toMatchObject({
      fault: "not-mounted",
      message: expect.stringMatching(
        /want a mount of type ceph .*\nmount the file system of the PersistentVolume "karmada-backup" there on this machine as well: /,
      ) as string,
    });
  expect(() => statSync(directory)).toThrow("ENOENT");
});

(canMount ? describe : describe.skip)("real mounts", () => {
  test("a mount of the wanted type is used, and refused again once it is gone", async () => {
    const directory = fresh();
    const unmount = await mountTmpfs(directory, 8);
    const mounted = () => requireMount(directory, ["tmpfs"]);
    const target = new DirectoryTarget({ directory: join(directory, "prod"), mounted });
    const manifest = await stored(target, randomBytes(1000)).finally(unmount);
    await expect(target.head(manifest.id)).rejects.toMatchObject({ fault: "not-mounted" });
    expect(readdirSync(directory)).toEqual([]);
  });

  test("a full disk is one error; the half is removed, the snapshot before it is as it was", async () => {
    const directory = fresh();
    const unmount = await mountTmpfs(directory, 4);
    try {
      const target = new DirectoryTarget({ directory: join(directory, "prod") });
      const good = await stored(target, randomBytes(1_000_000));
      await expect(target.prepare(8 * 2 ** 20)).rejects.toMatchObject({
        fault: "full",
        message: expect.stringMatching(/^file:.*prod: [34]Mi are free, the snapshot needs 8Mi$/) as string,
      });
      await expect(target.put("b.db", contentOf(randomBytes(5_000_000)))).rejects.toMatchObject({
        fault: "full",
        message: `file://${join(directory, "prod")}: writing b.db: the disk is full; nothing of it was kept`,
      });
      expect(await target.list()).toEqual({ snapshots: [good], damaged: [] });
      expect(readdirSync(join(directory, "prod")).toSorted()).toEqual([good.file, `${good.id}.json`].toSorted());
    } finally {
      await unmount();
    }
  });
});
