import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { oneFile } from "../toolchain/one-file.ts";
import { ownProgram } from "./own-program.ts";
import { writeAtomically } from "./atomic-file.ts";
import { sha256 } from "./sha256.ts";

/** A program of this project as one file, and the Node.js that runs it: for machines that have no checkout. */
export interface BundledProgram {
  readonly node: BundledFile;
  readonly file: BundledFile;
  /** What stands before the file. */
  readonly args: readonly string[];
  /** Version of this project. */
  readonly version: string;
}

/** A file on this machine. */
export interface BundledFile {
  readonly name: string;
  readonly path: string;
  readonly sha256: string;
}

/**
 * The program in a file of the checkout, for instance `lib/backup/main.ts`, with every package it imports. It is built
 * once for a state of the checkout: the same sources give the same file.
 */
export function bundledProgram(main: string): BundledProgram {
  const own = ownProgram(main);
  const name = `${basename(dirname(main))}.mjs`;
  const path = join(made, `${own.sha256}-${name}`);
  if (!existsSync(path)) writeAtomically(path, oneFile(main));
  const node = nodeProgram();
  return {
    node: { name: "node", path: node, sha256: knownDigest(node) },
    file: { name, path, sha256: knownDigest(path) },
    args: own.args.slice(0, -1),
    version: own.version,
  };
}

/** The text of that file, for a Node.js that is given it as an argument. */
export const programText = (main: string): string => readFileSync(bundledProgram(main).file.path, "utf8");

const checkout = join(import.meta.dirname, "..");
const made = join(checkout, "node_modules/.cache/bundles");

/** The npm package's needs only the C and C++ libraries every Linux has; a distribution's own may need more. */
export function nodeProgram(): string {
  const packaged = join(checkout, "node_modules/node/bin/node");
  return existsSync(packaged) ? packaged : process.execPath;
}

/** 100 MB need not be read in every run while size and time stay the same. */
function knownDigest(path: string): string {
  const { size, mtimeMs } = statSync(path);
  const note = join(made, `${basename(path)}-${size}-${Math.round(mtimeMs)}.sha256`);
  if (!existsSync(note)) writeAtomically(note, sha256(readFileSync(path)));
  return readFileSync(note, "utf8");
}
