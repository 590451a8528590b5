import { quote } from "./quote.ts";

/** A file and what it is to have. */
export interface NewFile {
  readonly path: string;
  /** Text. */
  readonly content: string;
  /** As in `chmod`. */
  readonly mode: string;
  /** Whether nothing is there that somebody may be reading. @default there may be */
  readonly isNew?: boolean;
}

/** Shell commands that give a file a content in one step for whoever reads it. */
export const replaceFile = (path: string, content: string, mode: string, owner: string, isNew = false): string =>
  replaceFiles([{ path, content, mode, isNew }], owner);

/**
 * The same for several, with as few programs run for it as can be: a host with much to start feels each. What writes them is
 * part of the shell, so that nobody sees their content among the arguments of a program. Where one cannot be written it is
 * named, and nothing is left of those that were to be beside it.
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

/** A shell makes files that nobody may execute. */
const isMade = (mode: string): boolean => (Number.parseInt(mode, 8) & ~0o666) === 0;

/** What a shell is told to leave out, for a new file to have its mode at once where it can. */
const umaskFor = (mode: string): string => (0o666 & ~Number.parseInt(mode, 8)).toString(8).padStart(3, "0");
