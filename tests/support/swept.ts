import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let sweeper: ChildProcess | undefined;

/**
 * Has a directory taken away with every process that names it, should this process end before it is gone: one that is
 * interrupted, or killed, runs no `afterAll`.
 *
 * @param bridge a network bridge that goes with it, and with all that is plugged in there
 */
export function sweptAtLast(directory: string, bridge?: string): void {
  const ground = [tmpdir(), realpathSync(tmpdir())];
  if (!ground.some((each) => directory.startsWith(join(each, "/"))))
    throw new Error(`${directory}: want one below ${tmpdir()}`);
  sweeper ??= started();
  sweeper.stdin!.write(`${directory}\t${bridge === undefined ? "" : `${bridge}\t${indexOf(bridge)}`}\n`);
}

/** The kernel gives it to no other link, whatever name that has. */
const indexOf = (link: string): string => readFileSync(`/sys/class/net/${link}/ifindex`, "utf8").trim();

/** It outlives this process, of whose end it hears by the end of its input. */
function started(): ChildProcess {
  const child = spawn("bash", ["-c", script], { detached: true, stdio: ["pipe", "ignore", "ignore"], cwd: "/" });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}

/** Twice: what keeps others running may have started one more. With its children: the first process of a container outlives its parent. */
const script = `
mapfile -t lines
for line in "\${lines[@]}"; do
  IFS=$'\\t' read -r directory bridge index <<<"$line"
  [ -d "$directory" ] || continue
  for round in 1 2; do
    for found in $(grep -laF -- "$directory" /proc/[0-9]*/cmdline; find /proc/[0-9]*/cwd -maxdepth 0 -lname "*$directory*"); do
      process=\${found%/*}
      kill -9 $(cat "$process"/task/*/children) "\${process#/proc/}"
    done
    sleep 0.5
  done
  if [ -n "$bridge" ] && [ "$(cat /sys/class/net/"$bridge"/ifindex)" = "$index" ]; then
    for link in /sys/class/net/"$bridge"/brif/*; do ip link del "\${link##*/}"; done
    ip link del "$bridge"
  fi
  awk '{print $2}' /proc/mounts | grep -F "$directory/" | sort -r | xargs -r umount -l
  rm -rf --one-file-system "$directory"
done 2>/dev/null
`;
