import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execaSync } from "execa";

export const root = join(import.meta.dirname, "..", "..");

/** Every file of the repository, whether it is committed yet or not. */
export const repositoryFiles: readonly string[] = execaSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard"],
  { cwd: root },
)
  .stdout.split("\n")
  .filter((path) => existsSync(join(root, path)));

export const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** The files in Markdown. */
export const documents: readonly string[] = repositoryFiles.filter((path) => path.endsWith(".md"));

export interface Snippet {
  readonly language: string;
  readonly text: string;
  /** `docs/etcd.md:5`, where it begins. */
  readonly at: string;
}

/** The fenced blocks of a document, without what they are indented by. */
export function snippetsOf(document: string): Snippet[] {
  const text = textOf(document);
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^ *```$/gms)].map(({ index, 1: indent, 2: language, 3: block }) => ({
    language: language!,
    text: block!.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    at: `${document}:${text.slice(0, index).split("\n").length}`,
  }));
}
