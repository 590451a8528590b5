import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Mirror } from "./download-script.ts";
import { batched } from "./batched.ts";
import type { Host } from "./host.ts";
import { hostPaths, programPath } from "./layout.ts";
import { download, placeInMirror } from "./mirrored.ts";
import { canPack, type Packed, withPacked } from "./packed.ts";
import { quote } from "./quote.ts";
import { TransferProgress } from "./transfer-progress.ts";

/** A program to be placed on a host. */
export interface HostedProgram {
  /** Its file name. */
  readonly name: string;
  readonly sha256: string;
}

/** How a program gets to a host. */
export interface Bringing {
  /** From which hosts download what it has. @default none, this machine sends everything */
  readonly mirror?: Mirror | undefined;
  /** Is told the progress when it takes long. */
  readonly say?: (sentence: string) => void;
}

/**
 * Brings a program that is not there yet, from a mirror, or compressed if the host has zstd, and verifies it before it
 * is installed.
 *
 * @param file the program on this machine
 * @returns whether it had to be brought
 */
export async function ensureProgram(
  host: Host,
  program: HostedProgram,
  file: string,
  { mirror, say = console.log }: Bringing = {},
): Promise<boolean> {
  const { there, unpacks } = await look(host, program);
  if (there) return false;
  const { size } = await stat(file);
  const place = placeInMirror(file);
  if (mirror !== undefined && place !== undefined) {
    const wanted = { mirror, place, sha256: program.sha256, bytes: size };
    await download(host, program.name, wanted, (write) => receive(program, size, write), say);
    return true;
  }
  const sending = `sending ${program.name}`;
  const send = async (write: string, bytes: number, data: () => Iterable<Buffer> | AsyncIterable<Buffer>) => {
    const progress = new TransferProgress(`${host.label}: ${sending}`, bytes, say);
    try {
      await host.send(sending, receive(program, size, write), () => progress.through(data()));
    } finally {
      progress.end();
    }
  };
  if (unpacks && canPack) {
    await withPacked(file, program.sha256, (packed) => send(unpack, lengthOf(packed), () => packed));
  } else {
    await send(copy(program.sha256), size, () => createReadStream(file));
  }
  return true;
}

const lengthOf = (packed: Packed): number => packed.reduce((sum, { length }) => sum + length, 0);

/**
 * Whether it is there as it was sent. What was verified once and still has the same size and time is not read again.
 */
export async function hasProgram(host: Host, program: HostedProgram): Promise<boolean> {
  return (await look(host, program)).there;
}

/** What was found of a program on a host. */
interface Seen {
  readonly there: boolean;
  /** Whether the host can decompress zstd. */
  readonly unpacks: boolean;
}

const look = batched<HostedProgram, Seen>(async (host, programs) => {
  const script = [
    `command -v zstd >/dev/null && echo zstd || echo none`,
    `look() {`,
    `  [ -x "$1" ] || { echo missing; return; }`,
    `  [ "$(cat "$1.verified" 2>/dev/null)" = "$(${stamp(`"$1"`)})" ] && { echo there; return; }`,
    `  [ "$(sha256sum <"$1")" = "$2  -" ] || { echo changed; return; }`,
    `  ${stamp(`"$1"`)} >"$1.verified"`,
    `  echo there`,
    `}`,
    ...programs.map(({ name, sha256 }) => `look ${quote(programPath(sha256, name))} ${sha256}`),
  ];
  const said = await host.run(`looking for ${namesOf(programs)}`, script.join("\n"), { seconds: lookSeconds });
  const [zstd, ...found] = said.trim().split("\n");
  return found.map((each) => ({ there: each === "there", unpacks: zstd === "zstd" }));
});

/** All programs of a host may have to be read, on a slow disk. */
const lookSeconds = 180;

/**
 * Removes a program's contents except those to keep. One that a process links to, or names in its unit or in a file,
 * stays in any case.
 *
 * @param keep digests
 */
export async function dropPrograms(host: Host, name: string, keep: readonly string[]): Promise<void> {
  await drop(host, { name, keep });
}

/** Removes all of a program's contents, unless a process uses one of them. */
export async function dropUnlessUsed(host: Host, name: string): Promise<void> {
  const script = [used, `echo "$used" | sed -n 's|.*/\\([^/]*\\)$|\\1|p'`].join("\n");
  const found = await host.run(
    `looking for what uses ${name}`,
    `cd ${hostPaths.programs} 2>/dev/null || return 0\n${script}`,
  );
  if (!found.split("\n").includes(name)) await dropPrograms(host, name, []);
}

/** Shell commands that find, in the directory of programs, the paths of those in use by processes. */
export const used = `used=$(readlink bin/* 2>/dev/null || true; grep -rhosE '${hostPaths.programs}/[0-9a-f]{64}/[^[:space:]"]+' ${hostPaths.files} ${hostPaths.units}/karmada-*.service || true)`;

const drop = batched<{ readonly name: string; readonly keep: readonly string[] }, void>(async (host, programs) => {
  const script = [
    `cd ${hostPaths.programs} 2>/dev/null || return 0`,
    used,
    `drop() {`,
    // The mark of its verification stays when somebody deletes the program.
    `  for path in */"$1" */"$1.verified"; do`,
    `    case "$path" in bin/*) continue ;; esac`,
    `    [ -e "$path" ] || continue`,
    `    path=\${path%.verified}`,
    `    case " $2 " in *" \${path%%/*} "*) continue ;; esac`,
    `    case "$used" in *"/$path"*) continue ;; esac`,
    `    rm -rf "\${path%%/*}"`,
    `  done`,
    `}`,
    ...programs.map(({ name, keep }) => `drop ${quote(name)} ${quote(keep.join(" "))}`),
    `rmdir ${hostPaths.programs} 2>/dev/null || true`,
  ];
  await host.run(`removing old ${namesOf(programs)}`, script.join("\n"));
  return programs.map(() => undefined);
});

const namesOf = (programs: readonly { readonly name: string }[]): string => programs.map(({ name }) => name).join(", ");

function receive({ name, sha256 }: HostedProgram, bytes: number, write: string): string {
  const path = programPath(sha256, name);
  return [
    `umask 022`,
    `mkdir -p ${hostPaths.programs}/${sha256}`,
    receiveFile(path, { bytes, mode: "755", write }),
    `${stamp(path)} >${path}.verified`,
  ].join("\n");
}

/** Shell commands that write what they read to `$new`, and fail if its digest differs. */
export const copy = (sha256: string): string =>
  `cat >"$new"; [ "$(sha256sum <"$new")" = "${sha256}  -" ] || { echo "what arrived is not what was sent" >&2; exit 1; }`;

/**
 * Shell command that writes the compressed content it reads to `$new`, unpacked, and fails if it is damaged: it has a
 * checksum of its own, which zstd verifies.
 */
export const unpack = `zstd -dcq >"$new"`;

/**
 * Shell commands that make a file from what they read: beside its place first, so that whatever has the name is
 * complete.
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
