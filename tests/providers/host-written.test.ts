import { hostAt } from "../../lib/hosts/hosts.ts";
import { removeProcess } from "../../lib/hosts/process.ts";
import { provider } from "../../providers/host-process-impl.ts";
import { labHost } from "../support/lab-host.ts";
import { hasLab } from "../support/nspawn-lab.ts";

const describeLab = hasLab() ? describe : describe.skip;

describeLab("a process on a host that writes outside its data", () => {
  const { ask, machine } = labHost(47);

  /** Started once, so that a failure is to be seen. */
  const write = async (name: string, script: string, writes: object[]) => {
    const { inputs } = await provider.check(
      {},
      {
        ...{ host: machine().address, name, component: "etcd-backup", writes, env: {}, contents: {} },
        ...{ program: "/bin/sh", programSha256: "", args: ["-c", `set -e\n${script}\nexec sleep infinity`] },
        ...{ probe: { kind: "active" }, notifies: false, startSeconds: 20, stopSeconds: 5 },
      },
    );
    await provider.create(inputs);
    return (
      await ask(`for i in 1 2 3 4 5; do
        sleep 1
        [ "$(cat /proc/$(systemctl show karmada-${name} -p MainPID --value)/comm)" != sleep ] || break
      done
      journalctl -q -o cat _SYSTEMD_UNIT=karmada-${name}.service | sort -u; systemctl show karmada-${name} -p NRestarts --value`)
    ).trim();
  };

  test("has what is its own made for it, empties and fills it each time, whatever its name", async () => {
    const own = ["/var/scratch/karmada-backup-prod", "/mnt/backup dir/50%/$x's/prod"];
    const script = own
      .map((each) => each.replaceAll("$", "\\$"))
      .map((each) => `for i in 1 2; do mkdir "${each}/now"; rmdir "${each}/now"; done\necho written >"${each}/found"`);
    const writes = [
      { path: "/var/scratch", own: ["karmada-backup-prod"] },
      { path: "/mnt/backup dir/50%/$x's", own: ["prod"] },
    ];
    expect(await write("writer", script.join("\n"), writes)).toBe("0");
    for (const each of own) expect(await ask(`cat "${each.replaceAll("$", "\\$")}/found"`)).toBe("written\n");
  }, 60_000);

  test("has a file of its own in a directory of others, that everybody may read, starts without where there can be none, and takes it along", async () => {
    const files = ["prod.prom"];
    const writes = [
      { path: "/var/lib/node_exporter", files },
      { path: "/proc/karmada", files },
    ];
    await ask("install -d /var/lib/node_exporter; ln -s /var/lib/elsewhere /var/lib/node_exporter/prod.prom");
    expect(await write("told", "echo told >/var/lib/node_exporter/prod.prom", writes)).toMatch(
      /^mkdir: cannot create directory .*\n0$/,
    );
    const looks =
      "cd /var/lib/node_exporter; stat -c '%A %U' prod.prom .; cat prod.prom; ls /var/lib/elsewhere 2>&1 || true";
    expect(await ask(looks)).toMatch(/^-rw-r--r-- karmada-etcd-backup\ndrwxr-xr-x root\ntold\n.*No such file/);
    await removeProcess(hostAt(machine().address), { name: "told", component: "etcd-backup", writes }, 5);
    expect(await ask("ls -A /var/lib/node_exporter")).toBe("");
  }, 60_000);

  test("has what is its own in a mount of a network made there once that is mounted, and starts where it is not", async () => {
    const writes = ["/mnt/export", "/mnt/away"].map((path) => ({
      path: `${path}/karmada`,
      own: ["prod"],
      network: true,
    }));
    // No file system of a network is to be had here: this says that there is one.
    const stat = '#!/bin/sh\n[ "$4" = /mnt/export/ ] && echo nfs || exec /usr/bin/stat "$@"\n';
    machine().write("/usr/local/sbin/stat", stat, 0o755);
    await ask("install -d /mnt/export /mnt/away");
    expect(await write("mounted", "echo kept >/mnt/export/karmada/prod/kept", writes)).toBe("0");
    expect(await ask("rm /usr/local/sbin/stat; stat -c '%A %U' /mnt/export/karmada/prod; ls /mnt/away")).toBe(
      "drwx------ karmada-etcd-backup\n",
    );
  }, 60_000);

  test("has temporary files of its own in which root makes nothing", async () => {
    const script = "mkdir /tmp/scratch /var/tmp/scratch";
    const writes = ["/tmp", "/var/tmp/"].map((path) => ({ path, own: ["scratch"] }));
    expect(await write("temporary", script, writes)).toBe("0");
    expect(await ask("ls /tmp /var/tmp | grep -x scratch || true")).toBe("");
  }, 60_000);
});
