import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import type { Host } from "./host.ts";
import { hostPaths, programPath } from "./layout.ts";
import { canPack, withPacked } from "./packed.ts";
import { quote } from "./quote.ts";

/** A program to be at a host. */
export interface HostedProgram {
  /** Its file name. */
  readonly name: string;
  readonly sha256: string;
}

/**
 * Sends a program that is not there yet, packed where the host has zstd, and verifies what has arrived before it takes its
 * place.
 *
 * @param file the program on this machine
 * @returns whether it had to be sent
 */
export async function ensureProgram(host: Host, program: HostedProgram, file: string): Promise<boolean> {
  const { there, unpacks } = await look(host, program);
  if (there) return false;
  const { size } = await stat(file);
  const sending = `sending ${program.name}`;
  if (unpacks && canPack) {
    const script = receive(program, size, unpack);
    await withPacked(file, program.sha256, (packed) => host.send(sending, script, () => Readable.from(packed)));
  } else {
    await host.send(sending, receive(program, size, copy(program.sha256)), () => createReadStream(file));
  }
  return true;
}

/** Whether it is there as it was sent. What was verified once and has the same size and time since is not read again. */
export async function hasProgram(host: Host, program: HostedProgram): Promise<boolean> {
  return (await look(host, program)).there;
}

/** `unpacks`: whether the host can unpack zstd. */
async function look(
  host: Host,
  { name, sha256 }: HostedProgram,
): Promise<{ readonly there: boolean; readonly unpacks: boolean }> {
  const path = programPath(sha256, name);
  const script = [
    `command -v zstd >/dev/null && echo zstd`,
    `[ -x ${path} ] || { echo missing; return; }`,
    `[ "$(cat ${path}.verified 2>/dev/null)" = "$(${stamp(path)})" ] && { echo there; return; }`,
    `[ "$(sha256sum <${path})" = "${sha256}  -" ] || { echo changed; return; }`,
    `${stamp(path)} >${path}.verified`,
    `echo there`,
  ];
  const said = (await host.run(`looking for ${name}`, script.join("\n"))).trim().split("\n");
  return { there: said.includes("there"), unpacks: said.includes("zstd") };
}

/**
 * Removes a program's contents but those that are kept. One that a process is linked to stays in any case.
 *
 * @param keep digests
 */
export async function dropPrograms(host: Host, name: string, keep: readonly string[]): Promise<void> {
  const script = [
    `cd ${hostPaths.programs} 2>/dev/null || return 0`,
    `used=$(readlink bin/* 2>/dev/null || true)`,
    // What says that it was verified stays when somebody deletes the program.
    `for path in */${quote(name)} */${quote(`${name}.verified`)}; do`,
    `  case "$path" in bin/*) continue ;; esac`,
    `  [ -e "$path" ] || continue`,
    `  path=\${path%.verified}`,
    `  case " ${keep.join(" ")} " in *" \${path%%/*} "*) continue ;; esac`,
    `  case "$used" in *"/$path"*) continue ;; esac`,
    `  rm -rf "\${path%%/*}"`,
    `done`,
    `rmdir ${hostPaths.programs} 2>/dev/null || true`,
  ];
  await host.run(`removing old ${name}`, script.join("\n"));
}

function receive({ name, sha256 }: HostedProgram, bytes: number, write: string): string {
  const path = programPath(sha256, name);
  return [
    `umask 022`,
    `mkdir -p ${hostPaths.programs}/${sha256}`,
    receiveFile(path, { bytes, mode: "755", write }),
    `${stamp(path)} >${path}.verified`,
  ].join("\n");
}

/** Shell commands that write what they read to `$new`, and fail when it has not that digest. */
export const copy = (sha256: string): string =>
  `cat >"$new"; [ "$(sha256sum <"$new")" = "${sha256}  -" ] || { echo "what arrived is not what was sent" >&2; exit 1; }`;

/** The same of what was packed: that carries a checksum of its own, which zstd compares. */
export const unpack = `zstd -dcq >"$new"`;

/**
 * Shell commands that make a file of what they read: beside its place first, so that what has the name is whole.
 *
 * @param file its size in bytes, its mode, and the commands that write it to `$new`
 */
export function receiveFile(
  path: string,
  { bytes, mode, write }: { readonly bytes: number; readonly mode: string; readonly write: string },
): string {
  const directory = dirname(path);
  return [
    `new=${path}.$$`,
    `trap 'rm -f "$new"; rmdir ${directory} 2>/dev/null || true' EXIT`,
    `free=$(df -Pk ${directory} | awk 'NR==2 {print $4}')`,
    `[ $((free * 1024)) -ge ${bytes} ] || { echo "${directory}: $((free / 1024))Mi free, want ${Math.ceil(bytes / 2 ** 20)}Mi: make room there, and run the same again" >&2; exit 1; }`,
    write,
    `chmod ${mode} "$new"`,
    `mv -f "$new" ${path}`,
  ].join("\n");
}

const stamp = (path: string): string => `stat -c '%s %Y %i' ${path}`;
