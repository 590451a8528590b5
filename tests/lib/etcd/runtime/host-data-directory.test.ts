/** A member's data on a real host that is cut off while they are put in their place; what makes them is a stand-in. */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../../../lib/etcd/runtime/snapshot-file.ts";
import { FilesIn } from "../../../../lib/etcd/runtime/files-in.ts";
import { HostDataDirectory } from "../../../../lib/etcd/runtime/host-data-directory.ts";
import { labHost } from "../../../support/lab-host.ts";
import { hasLab, type LabHost } from "../../../support/nspawn-lab.ts";

const describeLab = hasLab() ? describe : describe.skip;

/** The beginning of etcd's log that names a cluster of two hexadecimal digits below 80. */
const logOf = (clusterId: string) => Buffer.from(`060000000000000008011a0210${clusterId}`, "hex");

describeLab("restored data on a host", () => {
  const { directory, machine: theHost, ask } = labHost(26);
  let machine: LabHost;
  let etcdutl: string;

  beforeAll(async () => {
    machine = theHost();
    etcdutl = join(directory(), "etcdutl");
    const data = `data=$(printf '%s\\n' "$@" | sed -n 's/^--data-dir=//p')/member/wal`;
    writeFileSync(etcdutl, `#!/bin/sh\n${data}; mkdir -p "$data"; cat "$3" >"$data/0.wal"\n`);
    await ask("useradd --system --user-group karmada-etcd");
  });

  /** A member with data of cluster 11. */
  const member = async (name: string) => {
    machine.write(`/var/lib/karmada/${name}/1/member/wal/0.wal`, logOf("11").toString("latin1"));
    return { name, files: new FilesIn(new HostDataDirectory(machine.address, name)) };
  };
  /** What becomes of it is cluster 22. */
  const restore = async ({ name, files }: Awaited<ReturnType<typeof member>>) => {
    const file = join(directory(), randomUUID());
    writeFileSync(file, logOf("22"));
    return files.restore({
      ...{ member: name, peerUrl: "https://10.0.0.1:2380", etcdutl, file, bare: false, generation: 1, source: "file" },
      ...{ sha256: await digestOf(file), proved: Promise.resolve(), token: "t", initialCluster: "i" },
      ...{ bumpRevision: 1n, replaces: "11" },
    });
  };
  /** From then on `mv` of restored data does that too, once. */
  const once = (command: string) =>
    machine.write(
      "/usr/local/bin/mv",
      `#!/bin/sh\n/bin/mv "$@" || exit\ncase "$*" in *.restoring*) rm "$0"; ${command} ;; esac\n`,
      0o755,
    );
  const there = (name: string) => ask(`cd /var/lib/karmada/${name}; ls -A; stat -c %U 2`);

  test("are put in place once, though the link breaks right after that and the script runs again", async () => {
    const etcd = await member("etcd-0");
    once("pkill -KILL -P $(cat /run/sshd.pid)");
    expect(await restore(etcd)).toMatchObject({ incarnation: 2, clusterId: "22" });
    expect(await ask("ls /usr/local/bin")).toBe("");
    expect(await there("etcd-0")).toBe(".etcd-restore.json\n1\n2\nkarmada-etcd\n");
    expect(await etcd.files.evidence()).toMatchObject({ data: true, clusterId: "11", restored: { incarnation: 2 } });
  }, 60_000);

  test("are known for such when all ends right after that, and are gone on with", async () => {
    const etcd = await member("etcd-1");
    once("kill -KILL $PPID");
    await expect(restore(etcd)).rejects.toThrow(/putting the restored data of etcd-1 in their place: exit code 137/);
    expect(await etcd.files.evidence()).toMatchObject({ data: true, clusterId: "11" });
    expect(await restore(etcd)).toMatchObject({ clusterId: "22" });
    expect(await etcd.files.evidence()).toMatchObject({ clusterId: "11", restored: { clusterId: "22" } });
  }, 60_000);
});
