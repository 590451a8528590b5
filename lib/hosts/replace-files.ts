import { quote } from "./quote.ts";

/** A file and what it is to have. */
export interface NewFile {
  readonly path: string;
  readonly content: string;
  /** As in `chmod`. */
  readonly mode: string;
}

/** Shell commands that give a file a content in one step for whoever reads it. */
export const replaceFile = (path: string, content: string, mode: string, owner: string): string =>
  replaceFiles([{ path, content, mode }], owner);

/** The same for several, with as few programs run for it as can be. */
export function replaceFiles(files: readonly NewFile[], owner: string): string {
  if (files.length === 0) return "";
  const all = files.map(({ path, content, mode }) => ({
    path: quote(path),
    beside: quote(`${path}.new`),
    content,
    mode,
  }));
  const each = (some: typeof all) => some.map(({ beside }) => beside).join(" ");
  const modes = [...new Set(files.map(({ mode }) => mode))];
  return [
    `rm -f ${each(all)}`,
    ...all.map(({ beside, content }) => writeText(beside, content)),
    `chown ${owner} ${each(all)}`,
    ...modes.map((mode) => `chmod ${mode} ${each(all.filter((file) => file.mode === mode))}`),
    ...all.map(({ path, beside }) => `mv -f ${beside} ${path}`),
  ].join("\n");
}

function writeText(path: string, content: string): string {
  const encoded = Buffer.from(content).toString("base64").replace(/.{76}/g, "$&\n");
  return [`base64 -d >${path} <<'END-OF-FILE'`, encoded, `END-OF-FILE`].join("\n");
}
