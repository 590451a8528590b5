/** Hosts that something speaks against: really, not by what they say of themselves. */
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { hostAt } from "../../lib/hosts/hosts.ts";
import type { LabHost, Oddity } from "./nspawn-lab.ts";
import { sweptAtLast } from "./swept.ts";

/** `uname -m` is i686 there, which the processor can be, too. */
export const ofAnotherArchitecture: Oddity = { nspawn: ["--personality=x86"] };

/** Nothing runs there but an SSH server. */
export const withoutSystemd: Oddity = {
  first: [
    "/bin/sh",
    "-c",
    `ip addr add "$(sed -n s/^Address=//p /etc/systemd/network/10-host0.network)" dev host0
     ip link set host0 up
     mkdir -p /run/sshd
     exec /usr/sbin/sshd -D`,
  ],
};

/**
 * From the next login on everything there is told a time that is so much later (libfaketime's `+3s`): by its C library, since
 * all hosts of a lab have the kernel's clock.
 */
export async function setClock(host: LabHost, ahead: string): Promise<void> {
  await hostAt(host.address).run(
    "setting its clock",
    `library=$(ls /usr/lib/*/faketime/libfaketime.so.1)
     echo "SetEnv LD_PRELOAD=$library FAKETIME=${ahead}" >/etc/ssh/sshd_config.d/clock.conf
     systemctl reload ssh`,
  );
}

/** A disk of its own for a host, made with its `oddity`, which takes so many writes a second and no more. */
export class SlowDisk {
  readonly oddity: Oddity;
  readonly #directory: string;
  readonly #group: string;

  private constructor(directory: string, group: string, at: string) {
    this.#directory = directory;
    this.#group = group;
    this.oddity = {
      nspawn: [`--bind=${join(directory, "disk")}:${at}`],
      prefix: ["sh", "-c", `echo $$ >${group}/cgroup.procs && exec "$@"`, "limited"],
    };
  }

  /** @param at where the host has it */
  static async create(at: string, writesPerSecond: number): Promise<SlowDisk> {
    const directory = mkdtempSync(join(tmpdir(), "slow-disk-"));
    sweptAtLast(directory);
    const [image, disk] = [join(directory, "image"), join(directory, "disk")];
    await execa("truncate", ["-s", "4G", image]);
    await execa("mkfs.ext4", ["-q", "-m", "0", image]);
    mkdirSync(disk);
    await execa("mount", ["-o", "loop", image, disk]);
    const { stdout: device } = await execa("mountpoint", ["-d", disk]);
    return new SlowDisk(directory, limited(device.trim(), writesPerSecond), at);
  }

  /** Once the host is gone. */
  async remove(): Promise<void> {
    await execa("umount", [join(this.#directory, "disk")]);
    rmdirSync(this.#group);
    rmSync(this.#directory, { recursive: true });
  }
}

/** A group of processes that may write to a device so often. @returns its directory */
function limited(device: string, writesPerSecond: number): string {
  const version1 = "/sys/fs/cgroup/blkio";
  const isVersion1 = existsSync(version1);
  const group = join(isVersion1 ? version1 : "/sys/fs/cgroup", "karmada-slow-disk");
  mkdirSync(group, { recursive: true });
  if (isVersion1) writeFileSync(join(group, "blkio.throttle.write_iops_device"), `${device} ${writesPerSecond}`);
  else writeFileSync(join(group, "io.max"), `${device} wiops=${writesPerSecond}`);
  return group;
}
