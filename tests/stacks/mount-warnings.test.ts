import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mountWarnings } from "../../stacks/mount-warnings.ts";

const directory = mkdtempSync(join(tmpdir(), "mount-warnings-"));
afterAll(() => rmSync(directory, { recursive: true }));

const volume = { persistentVolume: "karmada-backup" };
const targets = [
  { kind: "local", directory: "/backup" },
  { kind: "cephfs", directory: "/mnt/backup", volume },
] as const;

function warnings(type: string, beforeChange: "required" | "best-effort" = "required"): string[] {
  const mountinfo = join(directory, "mountinfo");
  writeFileSync(mountinfo, `22 1 8:1 / / rw - ext4 /dev/sda1 rw\n23 22 0:40 / /mnt/backup rw - ${type} a rw\n`);
  return mountWarnings({ targets, beforeChange }, mountinfo);
}

test("a preview says where a change would stop for a volume that this machine has not mounted", () => {
  const said = [
    'snapshots.targets[1].directory: /mnt/backup is no mount of CephFS on this machine: a change that needs a snapshot first will not be made\nmount the file system of the PersistentVolume "karmada-backup" there as well, or set snapshots.beforeChange to "best-effort"',
  ];
  expect(warnings("ext4")).toEqual(said);
  expect(warnings("nfs4")).toEqual(said);
  expect(warnings("ext4", "best-effort")).toEqual([]);
});

test.each(["ceph", "fuse.ceph", "autofs"])("a mount of type %s is none to be warned of", (type) => {
  expect(warnings(type)).toEqual([]);
});
