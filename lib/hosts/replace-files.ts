import { quote } from "./quote.ts";

/** A file with its new content and access. */
export interface NewFile {
  readonly path: string;
  /** Text. */
  readonly content: string;
  /** As in `chmod`. */
  readonly mode: string;
  /** Whether there was no file that something may be reading. @default there may have been */
  readonly isNew?: boolean;
}

/** Shell commands that replace a file's content atomically for its readers. */
export const replaceFile = (path: string, content: string, mode: string, owner: string, isNew = false): string =>
  replaceFiles([{ path, content, mode, isNew }], owner);

/**
 * Shell commands that replace the content of several files, each atomically for its readers, with as few programs as
 * possible: a host with much to start feels each. They are written by a shell builtin, so that their content does not
 * show among the arguments of a program. If one cannot be written it is named, and no temporary files are left.
 */
export function replaceFiles(files: readonly NewFile[], owner: string): string {
  if (files.length === 0) return "";
  const all = files.map(({ path, isNew = false, ...file }) => ({
    ...file,
    path: quote(path),
    written: quote(isNew ? path : `${path}.new`),
  }));
  const each = (some: typeof all) => some.map(({ written }) => written).join(" ");
  const byMode = [...new Set(files.map(({ mode }) => mode))].map((mode) => ({
    mode,
    some: all.filter((file) => file.mode === mode),
  }));
  return [
    `for each in ${each(all)}; do`,
    `  [ ! -e "$each" ] && [ ! -L "$each" ] || rm -f "$each"`,
    `done`,
    `unwritten() {`,
    `  free=$(df -Pk "\${1%/*}" | awk 'NR==2 {print $4}')`,
    `  rm -f ${each(all)}`,
    `  echo "$1: cannot be written, $((free / 1024))Mi free: make room there, and run the same again" >&2`,
    `  exit 1`,
    `}`,
    ...byMode.flatMap(({ mode, some }) => [
      `umask ${umaskFor(mode)}`,
      ...some.map(({ path, written, content }) => `printf %s ${quote(content)} >${written} || unwritten ${path}`),
    ]),
    `umask 022`,
    ...(owner === "root:root" ? [] : [`chown ${owner} ${each(all)}`]),
    ...byMode.flatMap(({ mode, some }) => (isMade(mode) ? [] : [`chmod ${mode} ${each(some)}`])),
    ...all.flatMap(({ path, written }) => (path === written ? [] : [`mv -f ${written} ${path}`])),
  ].join("\n");
}

/** A shell never makes executable files. */
const isMade = (mode: string): boolean => (Number.parseInt(mode, 8) & ~0o666) === 0;

/** The umask with which a new file has its mode at once, where it can. */
const umaskFor = (mode: string): string => (0o666 & ~Number.parseInt(mode, 8)).toString(8).padStart(3, "0");
